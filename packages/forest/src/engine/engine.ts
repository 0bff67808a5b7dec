import { everyItem } from '../forest/pages.ts';
import { seeingContext } from '../forest/refs.ts';
import { resolveId } from '../forest/resolve.ts';
import { threadsOf } from '../forest/threads.ts';
import type { Forest } from '../forest/types.ts';
import { growBranch } from './branch.ts';
import { inTurnOfAll } from './claims.ts';
import { EventWriter } from './event-writer.ts';
import { follow, refuseOtherIds } from './follow.ts';
import { generationRecord, readGeneration, shown, stateOf } from './generation-record.ts';
import { readHistory } from './history.ts';
import { FROM_THE_FOREST, nameOf, newState, refuseForeign, requestOf } from './new-state.ts';
import { createParking } from './parking.ts';
import { takeUp } from './partial.ts';
import { previewRequest } from './preview.ts';
import { rerunTurns } from './rerun.ts';
import { toResume } from './resuming.ts';
import { toolsToGoOn } from './thread-tools.ts';
import {
  type BranchState,
  type Engine,
  EngineError,
  type GenerateOptions,
  type Generation,
  type GenerationState,
  type ResumeOptions,
} from './types.ts';
import { runningHere, setRunning } from './under-way.ts';
import { setStop, watchForStop } from './watch-for-stop.ts';

/** Grows a forest with models. `defaults` hold for every generation: keys, addresses, prices, an observer. */
export function createEngine(forest: Pick<Forest, 'store' | 'clock'>, defaults: Partial<GenerateOptions> = {}): Engine {
  const context = seeingContext(forest.store, forest.clock);
  const { store, clock } = context;
  const parking = createParking();
  const threads = threadsOf(context);

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
            const own = { ...options, ...(first.thread !== undefined && { thread: first.thread }) };
            const task = { generation: id, branch, node: first.branches[branch]!.head, options: own, events };
            const onState = (now: BranchState) => setBranch(branch, now);
            const done = await growBranch(context, { ...task, signal: aborting.signal, onState });
            // The last write has it, too, and tells of a store that fails.
            await setBranch(branch, done).catch(() => undefined);
          }),
        );
        const status = statusOf(state.branches);
        state = { ...state, status, endedAt: clock.now() };
        await moveHead(state);
        await events.end({ type: 'end', status }, generationRecord(state, clock));
        return state;
      } finally {
        end();
      }
    };

    try {
      const events = new EventWriter(store, clock, id, await nextEventNumber(id));
      await store.append([generationRecord(state, clock)]);
      undo.push(watchForStop(store, id, aborting));
      const result = finish(events);
      result.catch(() => undefined);
      const generation = { id, node, result, stop: () => aborting.abort() };
      parking.add(generation);
      return generation;
    } catch (error) {
      end();
      throw error;
    }
  };

  /** Before its end is told, so that whoever is told finds the answer there. */
  const moveHead = async ({ thread, node, branches }: GenerationState): Promise<void> => {
    const { head } = branches.find(({ status }) => status === 'done') ?? branches[0]!;
    // Where nothing was said, the conversation still ends with the answer that it had.
    if (thread !== undefined && head !== node) await threads.moveHead(thread, head).catch(() => undefined);
  };

  const nextEventNumber = async (id: string): Promise<number> => {
    let last = 0;
    for await (const { order } of everyItem((page) => store.entries('event', { of: id, ...page })))
      last = Number(order);
    return last + 1;
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

  /** What was not said is as in the conversation's last request. */
  const goingOn = async (node: string, asked: GenerateOptions): Promise<GenerateOptions> => {
    const { thread, tools, params } = asked;
    if (thread === undefined || (tools && params)) return asked;
    const { last } = await readHistory(store, node, { thread });
    if (!last) return asked;
    return {
      ...asked,
      ...(!tools && { tools: toolsToGoOn(last.tools, asked.available) }),
      ...(!params && last.params && { params: last.params }),
    };
  };

  const toolsBefore = async (node: string, thread: string, { available }: Pick<GenerateOptions, 'available'>) => {
    const { last } = await readHistory(store, node, { thread });
    return last && toolsToGoOn(last.tools, available);
  };

  const engine: Engine = {
    async generate(node, given) {
      const asked = { ...defaults, ...given };
      refuseForeign(asked, [...FROM_THE_FOREST, 'approvals']);
      parking.refuse();
      if (asked.thread !== undefined) await threads.get(asked.thread);
      const at = await resolveId(store, node);
      const options = await goingOn(at, asked);
      return inTurnOfAll(context, at, async () => {
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
      const asked = { ...defaults, ...given };
      refuseForeign(asked, [...FROM_THE_FOREST, 'approvals']);
      nameOf(asked.model);
      const at = await resolveId(store, node);
      return previewRequest(store, at, await goingOn(at, asked));
    },
    async lastRequest(thread, { at } = {}) {
      const { head } = await threads.get(thread);
      const node = at === undefined ? head : await resolveId(store, at);
      return (await readHistory(store, node, { thread })).last;
    },
    rerun: (head, options) => rerunTurns(context, engine, head, options),
    resume: (id, given = {}) =>
      inTurnOfAll(context, id, async () => {
        parking.refuse();
        const state = await readGeneration(store, id);
        refuseForeign(given, FROM_THE_FOREST);
        const { thread } = state;
        const asked = { ...defaults, ...given };
        const tools =
          thread === undefined || asked.tools ? undefined : await toolsBefore(state.branches[0]!.head, thread, asked);
        const { grow, options } = toResume(state, { ...asked, ...(tools && { tools }) });
        const branches: BranchState[] = [...state.branches];
        for (const index of grow)
          branches[index] = { head: await takeUp(context, state, index, branches[index]!.head), status: 'running' };
        await setStop(context, id, false);
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
      await setStop(context, id, true);
    },
    get: (id) => readGeneration(store, id),
    async list({ node, ...page } = {}) {
      const found = await store.entries('generation', { ...(node && { of: await resolveId(store, node) }), ...page });
      const items = await Promise.all(found.items.map((entry) => shown(store, stateOf(entry))));
      return found.next === undefined ? { items } : { items, next: found.next };
    },
    follow(id, after) {
      refuseOtherIds(id, after);
      return follow(store, id, after);
    },
    park: (withinMs) => parking.park(withinMs),
  };
  return engine;
}

function followSignal(signal: AbortSignal | undefined, aborting: AbortController): () => void {
  const abort = () => aborting.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}

function statusOf(branches: readonly BranchState[]): GenerationState['status'] {
  const has = (status: BranchState['status']) => branches.some((branch) => branch.status === status);
  if (has('waiting')) return 'waiting';
  if (has('aborted')) return 'aborted';
  return branches.every(({ status }) => status === 'failed') ? 'failed' : 'done';
}
