import { randomUUID } from 'node:crypto';
import { parseModel } from '@skein/core';
import type { Context } from '../forest/context.ts';
import { everyItem } from '../forest/pages.ts';
import { seeingStore, setRef } from '../forest/refs.ts';
import { resolveId } from '../forest/resolve.ts';
import type { Forest } from '../forest/types.ts';
import { growBranch } from './branch.ts';
import { EventWriter } from './event-writer.ts';
import { follow } from './follow.ts';
import { generationRecord, readGeneration, shown, stateOf } from './generation-record.ts';
import { takeUp } from './partial.ts';
import { previewRequest } from './preview.ts';
import { rerunTurns } from './rerun.ts';
import { toResume } from './resuming.ts';
import {
  type BranchState,
  type Engine,
  EngineError,
  type GenerateOptions,
  type Generation,
  type GenerationState,
  type ResumeOptions,
} from './types.ts';
import { inTurn, runningHere, setRunning } from './under-way.ts';

/** Grows a forest with models. `defaults` hold for every generation: keys, addresses, prices, an observer. */
export function createEngine(forest: Pick<Forest, 'store' | 'clock'>, defaults: Partial<GenerateOptions> = {}): Engine {
  // Stamps that are met are noted, so that what is set again is later, whoever set it before.
  const context: Context = { store: seeingStore(forest.store, forest.clock), clock: forest.clock };
  const { store, clock } = context;

  /** Runs the branches that `grow` names, and keeps the stored state up to date. */
  const start = async (
    first: GenerationState,
    grow: readonly number[],
    options: GenerateOptions & Pick<ResumeOptions, 'approvals'>,
  ): Promise<Generation> => {
    const { id, node } = first;
    const aborting = new AbortController();
    const undo: (() => void)[] = [setRunning(store, id, aborting), followSignal(options.signal, aborting)];
    const end = () => {
      for (const each of undo) each();
    };
    let state = first;
    const setBranch = (index: number, branch: BranchState) => {
      state = { ...state, branches: state.branches.map((old, at) => (at === index ? branch : old)) };
      return store.append([generationRecord(state, clock)]);
    };

    const finish = async (events: EventWriter): Promise<GenerationState> => {
      try {
        await Promise.all(
          grow.map(async (branch) => {
            const task = { generation: id, branch, node: first.branches[branch]!.head, options, events };
            const onState = (now: BranchState) => setBranch(branch, now);
            const done = await growBranch(context, { ...task, signal: aborting.signal, onState });
            // The last write has it, too, and tells of a store that fails.
            await setBranch(branch, done).catch(() => undefined);
          }),
        );
        const status = statusOf(state.branches);
        state = { ...state, status, endedAt: clock.now() };
        await events.end({ type: 'end', status }, generationRecord(state, clock));
        return state;
      } finally {
        end();
      }
    };

    try {
      const events = new EventWriter(store, clock, id, await nextEventNumber(id));
      await store.append([generationRecord(state, clock)]);
      undo.push(watchForStop(id, aborting));
      const result = finish(events);
      result.catch(() => undefined);
      return { id, node, result, stop: () => aborting.abort() };
    } catch (error) {
      end();
      throw error;
    }
  };

  const nextEventNumber = async (id: string): Promise<number> => {
    let last = 0;
    for await (const { order } of everyItem((page) => store.entries('event', { of: id, ...page })))
      last = Number(order);
    return last + 1;
  };

  /** Another process may ask for it to end. One look at a time, however much is written meanwhile. */
  const watchForStop = (id: string, aborting: AbortController): (() => void) => {
    let looking: Promise<void> | undefined;
    let again = false;
    const look = async () => {
      const { items } = await store.refs({ on: 'forest', keys: [id], names: ['stop'] });
      if (items[0]?.value === true) aborting.abort();
    };
    const wake = () => {
      again = looking !== undefined;
      looking ??= look()
        .catch(() => undefined)
        .then(() => {
          looking = undefined;
          if (again) wake();
        });
    };
    wake();
    return store.watch(wake);
  };

  /** The same below the same node is generated once at a time. */
  const refuseTwice = async (wanted: GenerationState): Promise<void> => {
    const all = everyItem((page) => store.entries('generation', { of: wanted.node, ...page }));
    for await (const entry of all) {
      const there = await shown(store, stateOf(entry));
      if (there.status !== 'running' || requestOf(there) !== requestOf(wanted)) continue;
      throw new EngineError(
        'generation_running',
        there.id,
        `The same is being generated below this node (generation ${there.id}): follow it, stop it, or ask for another with "again".`,
      );
    }
  };

  const engine: Engine = {
    async generate(node, given) {
      const options = { ...defaults, ...given };
      refuseForeign(options, [...FROM_THE_FOREST, 'approvals']);
      const at = await resolveId(store, node);
      return inTurn(store, at, async () => {
        const state = newState(context, at, options);
        if (!options.again) await refuseTwice(state);
        return start(
          state,
          state.branches.map((_, index) => index),
          options,
        );
      });
    },
    async preview(node, given) {
      const options = { ...defaults, ...given };
      refuseForeign(options, [...FROM_THE_FOREST, 'approvals']);
      nameOf(options.model);
      return previewRequest(store, await resolveId(store, node), options);
    },
    rerun: (head, options) => rerunTurns(context, engine, head, options),
    resume: (id, given = {}) =>
      inTurn(store, id, async () => {
        const state = await readGeneration(store, id);
        refuseForeign(given, FROM_THE_FOREST);
        const { grow, options } = toResume(state, { ...defaults, ...given });
        const branches: BranchState[] = [...state.branches];
        for (const index of grow)
          branches[index] = { head: await takeUp(context, id, index, branches[index]!.head), status: 'running' };
        await store.append([setRef(context, 'forest', id, 'stop', false)]);
        const { endedAt: _ended, ...rest } = state;
        const model = nameOf(options.model);
        const { params } = options;
        return start({ ...rest, model, params, branches, status: 'running', owner: store.writer }, grow, options);
      }),
    async stop(id) {
      const state = await readGeneration(store, id);
      if (state.status !== 'running') return;
      const here = runningHere(store, id);
      if (here) return here.abort();
      await store.refs({ on: 'forest', keys: [id], names: ['stop'] });
      await store.append([setRef(context, 'forest', id, 'stop', true)]);
    },
    get: (id) => readGeneration(store, id),
    async list({ node, ...page } = {}) {
      const found = await store.entries('generation', { ...(node && { of: await resolveId(store, node) }), ...page });
      const items = await Promise.all(found.items.map((entry) => shown(store, stateOf(entry))));
      return found.next === undefined ? { items } : { items, next: found.next };
    },
    follow: (id, after) => follow(store, id, after),
  };
  return engine;
}

function newState({ store, clock }: Context, node: string, options: GenerateOptions): GenerationState {
  const { n = 1, model, params, tools = [], label } = options;
  if (!Number.isInteger(n) || n < 1) throw new TypeError(`"n" is how many branches to grow, 1 or more; it is ${n}.`);
  return {
    id: randomUUID().replaceAll('-', '').slice(0, 16),
    node,
    status: 'running',
    branches: Array.from({ length: n }, () => ({ head: node, status: 'running' })),
    model: nameOf(model),
    params,
    tools: tools.map((tool) => ('name' in tool ? tool.name : tool.dialect)),
    ...(label !== undefined && { label }),
    owner: store.writer,
    startedAt: clock.now(),
  };
}

const FROM_THE_FOREST = ['messages', 'system', 'checkpoints', 'previous', 'outgoing'];

/** `run` would take them, and the tree would not have what was sent. */
function refuseForeign(options: object, names: readonly string[]): void {
  const given = new Map(Object.entries(options));
  const foreign = names.find((name) => given.get(name) !== undefined);
  if (foreign === undefined) return;
  const instead = foreign === 'system' ? 'append system(…) as the first message' : 'the forest knows it';
  throw new TypeError(`A generation takes no "${foreign}": ${instead}.`);
}

function followSignal(signal: AbortSignal | undefined, aborting: AbortController): () => void {
  const abort = () => aborting.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}

function nameOf(model: GenerateOptions['model'] | undefined): string {
  if (model === undefined) throw new TypeError('"model" is missing: give one, such as "anthropic/claude-sonnet-4-5".');
  if (typeof model !== 'string') return `${model.provider.id}/${model.model}`;
  // Fails now and clearly, not in every branch.
  parseModel(model);
  return model;
}

function requestOf({ model, params, tools, branches, label }: GenerationState): string {
  return JSON.stringify([model, params ?? {}, tools, branches.length, label ?? '']);
}

function statusOf(branches: readonly BranchState[]): GenerationState['status'] {
  const has = (status: BranchState['status']) => branches.some((branch) => branch.status === status);
  if (has('waiting')) return 'waiting';
  if (has('aborted')) return 'aborted';
  return branches.every(({ status }) => status === 'failed') ? 'failed' : 'done';
}
