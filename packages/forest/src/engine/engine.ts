import { randomUUID } from 'node:crypto';
import { parseModel } from '@skein/core';
import type { Context } from '../forest/context.ts';
import { setRef } from '../forest/refs.ts';
import { resolveId } from '../forest/resolve.ts';
import type { Forest } from '../forest/types.ts';
import { growBranch } from './branch.ts';
import { EventWriter } from './event-writer.ts';
import { follow } from './follow.ts';
import { generationRecord, readGeneration, shown, stateOf } from './generation-record.ts';
import { keepPartial } from './partial.ts';
import { rerunTurns } from './rerun.ts';
import {
  type BranchState,
  type Engine,
  EngineError,
  type GenerateOptions,
  type Generation,
  type GenerationState,
  type ResumeOptions,
} from './types.ts';

/** Grows a forest with models. `defaults` hold for every generation: keys, addresses, prices, an observer. */
export function createEngine(forest: Pick<Forest, 'store' | 'clock'>, defaults: Partial<GenerateOptions> = {}): Engine {
  const context: Context = forest;
  const { store, clock } = context;
  const running = new Map<string, AbortController>();

  /** Runs the branches that `grow` names, and keeps the stored state up to date. */
  const start = async (
    first: GenerationState,
    grow: readonly number[],
    options: GenerateOptions & Pick<ResumeOptions, 'approvals'>,
  ): Promise<Generation> => {
    const { id, node } = first;
    const aborting = new AbortController();
    const { signal } = options;
    const abort = () => aborting.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    running.set(id, aborting);
    let state = first;
    const save = async (changes: Partial<GenerationState>) => {
      state = { ...state, ...changes };
      await store.append([generationRecord(state, clock)]);
    };
    const setBranch = (index: number, branch: BranchState) =>
      save({ branches: state.branches.map((old, at) => (at === index ? branch : old)) });
    await save({});
    const events = new EventWriter(store, clock, id, await nextEventNumber(id));
    const unwatch = watchForStop(id, aborting);

    const finish = async (): Promise<GenerationState> => {
      try {
        await Promise.all(
          grow.map(async (branch) => {
            const task = { generation: id, branch, node: first.branches[branch]!.head, options, events };
            const done = await growBranch(context, {
              ...task,
              signal: aborting.signal,
              onState: (now) => setBranch(branch, now),
            });
            await setBranch(branch, done);
          }),
        );
        const status = statusOf(state.branches);
        events.push(0, { type: 'end', status });
        await events.flush();
        await save({ status, endedAt: clock.now() });
        return state;
      } finally {
        unwatch();
        signal?.removeEventListener('abort', abort);
        running.delete(id);
      }
    };
    const result = finish();
    result.catch(() => undefined);
    return { id, node, result, stop: () => aborting.abort() };
  };

  const nextEventNumber = async (id: string): Promise<number> => {
    let last = 0;
    for (let after = '', more = true; more; ) {
      const page = await store.entries('event', { of: id, afterOrder: after, limit: 1000 });
      after = page.items.at(-1)?.order ?? after;
      last = Number(after || 0);
      more = page.next !== undefined;
    }
    return last + 1;
  };

  /** Another process may ask for it to end. */
  const watchForStop = (id: string, aborting: AbortController): (() => void) => {
    const look = async () => {
      const { items } = await store.refs({ on: 'forest', keys: [id], names: ['stop'] });
      if (items.length > 0) aborting.abort();
    };
    return store.watch(() => void look().catch(() => undefined));
  };

  /** The same below the same node is generated once at a time. */
  const refuseTwice = async (wanted: GenerationState): Promise<void> => {
    const { items } = await store.entries('generation', { of: wanted.node, limit: 1000 });
    for (const entry of items) {
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
      const at = await resolveId(store, node);
      const state = newState(context, at, options);
      if (!options.again) await refuseTwice(state);
      return start(
        state,
        state.branches.map((_, index) => index),
        options,
      );
    },
    rerun: (head, options) => rerunTurns(context, engine, head, options),
    async resume(id, given = {}) {
      const state = await readGeneration(store, id);
      if (state.status === 'running')
        throw new EngineError('generation_running', id, `Generation ${id} is still running.`);
      const grow = state.branches.flatMap(({ status }, index) => (status === 'done' ? [] : [index]));
      if (grow.length === 0)
        throw new EngineError('nothing_to_resume', id, `Generation ${id} is done: every branch has its answer.`);
      for (const index of grow) await keepPartial(context, id, index, state.branches[index]!.head);
      await store.append([setRef(context, 'forest', id, 'stop', null)]);
      const branches = state.branches.map((branch, index) =>
        grow.includes(index) ? { head: branch.head, status: 'running' as const } : branch,
      );
      const { endedAt: _ended, ...rest } = state;
      const again: GenerationState = { ...rest, branches, status: 'running', owner: store.writer };
      return start(again, grow, { ...defaults, ...given, model: given.model ?? state.model } as GenerateOptions);
    },
    async stop(id) {
      const state = await readGeneration(store, id);
      if (state.status !== 'running') return;
      const here = running.get(id);
      if (here) here.abort();
      else await store.append([setRef(context, 'forest', id, 'stop', true)]);
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

function nameOf(model: GenerateOptions['model']): string {
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
