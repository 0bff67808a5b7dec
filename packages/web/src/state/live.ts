import { create } from 'zustand';
import { followGeneration, type GenerationEvent, type Notice } from '../api/events.ts';
import { queryClient } from '../api/queries.ts';
import type { Block, Branch, Generation } from '../api/types.ts';
import { refreshNode } from './nodes.ts';

/** A generation that is under way or ended while this page looked. */
export interface Live {
  readonly id: string;
  /** The node it grows below. */
  readonly node: string;
  readonly model: string;
  readonly status: Generation['status'];
  readonly branches: readonly LiveBranch[];
}

/** `index` tells parallel calls apart. */
export type LiveBlock = Block & { readonly index?: number };

export interface LiveBranch {
  /** The last whole message. */
  readonly head: string;
  readonly status: Branch['status'];
  /** What has come of the message behind it. */
  readonly blocks: readonly LiveBlock[];
  /** Names of tools that run, by the id of their call. */
  readonly running: ReadonlyMap<string, string>;
  readonly notices: readonly Notice[];
  readonly retry?: string;
  readonly pending?: NonNullable<Branch['pending']>;
  readonly error?: NonNullable<Branch['error']>;
}

interface LiveState {
  readonly all: ReadonlyMap<string, Live>;
}

export const useLive = create<LiveState>(() => ({ all: new Map() }));

const following = new Map<string, () => void>();

/** Shows a generation as it grows. Asking twice follows once. */
export function showGeneration(generation: Generation): void {
  const { id } = generation;
  if (following.has(id) || (useLive.getState().all.has(id) && generation.status !== 'running')) return;
  latest.set(id, liveOf(generation));
  show(id);
  if (generation.status !== 'running') return;
  const waiting: GenerationEvent[] = [];
  const flush = () => takeIn(id, waiting.splice(0));
  // Drawn once a frame, however many pieces come.
  following.set(
    id,
    followGeneration(id, (event) => {
      waiting.push(event);
      if (waiting.length === 1) requestAnimationFrame(flush);
    }),
  );
}

/** After it is taken up again, its events come anew from the first. */
export function showAgain(generation: Generation): void {
  following.get(generation.id)?.();
  following.delete(generation.id);
  useLive.setState(({ all }) => {
    const rest = new Map(all);
    rest.delete(generation.id);
    return { all: rest };
  });
  showGeneration(generation);
}

/** How far each one is; shown when the messages it tells of are there. */
const latest = new Map<string, Live>();

function takeIn(id: string, events: readonly GenerationEvent[]): void {
  const before = latest.get(id);
  if (!before) return;
  const after = events.reduce(next, before);
  latest.set(id, after);
  if (after.status !== 'running') {
    following.delete(id);
    void queryClient.invalidateQueries({ queryKey: ['generations'] });
  }
  const arrived = events.flatMap((event) => (event.type === 'message' ? [event.node] : []));
  // The whole message takes the place of its pieces in one step, so that nothing flickers.
  if (arrived.length === 0) show(id);
  else void Promise.all(arrived.map((node) => refreshNode(node).catch(() => undefined))).then(() => show(id));
}

function show(id: string): void {
  const live = latest.get(id);
  if (live) useLive.setState(({ all }) => ({ all: new Map(all).set(id, live) }));
}

function liveOf({ id, node, model, status, branches }: Generation): Live {
  return { id, node, model, status, branches: branches.map((branch) => branchOf(branch, node, status)) };
}

function branchOf({ head, status, pending, error }: Branch, node: string, whole: Generation['status']): LiveBranch {
  return {
    // A running one is told from its beginning.
    head: whole === 'running' ? node : head,
    status,
    blocks: [],
    running: new Map(),
    notices: [],
    ...(pending && { pending }),
    ...(error && { error }),
  };
}

/** One event further. */
function next(live: Live, event: GenerationEvent): Live {
  if (event.type === 'end') return { ...live, status: event.status };
  const branches = live.branches.map((branch, index) => (index === event.branch ? nextBranch(branch, event) : branch));
  return { ...live, branches };
}

function nextBranch(branch: LiveBranch, event: GenerationEvent): LiveBranch {
  switch (event.type) {
    case 'text':
    case 'reasoning':
    case 'refusal': {
      const { retry: _over, ...rest } = branch;
      return { ...rest, blocks: withText(branch.blocks, event.type, event.text) };
    }
    case 'tool-use':
      return { ...branch, blocks: [...branch.blocks, callOf(event)] };
    case 'tool-arguments':
      return { ...branch, blocks: withArguments(branch.blocks, event.index, event.text) };
    case 'message':
      return { ...branch, head: event.node, blocks: [] };
    case 'tool-start':
      return { ...branch, running: new Map(branch.running).set(event.callId, event.name) };
    case 'tool-result': {
      const running = new Map(branch.running);
      running.delete(event.callId);
      return { ...branch, running };
    }
    case 'retry':
      return { ...branch, retry: `Attempt ${event.attempt} in ${Math.ceil(event.waitMs / 1000)} s: ${event.reason}` };
    case 'notice':
      return { ...branch, notices: [...branch.notices, event.notice] };
    case 'branch-end': {
      const { head, status, pending, error } = event.state;
      return { ...branch, head, status, blocks: [], ...(pending && { pending }), ...(error && { error }) };
    }
    default:
      return branch;
  }
}

function callOf({ index, id, name }: Extract<GenerationEvent, { type: 'tool-use' }>): LiveBlock {
  return { type: 'tool-use', index, id, name, rawParameters: '' };
}

function withText(
  blocks: readonly LiveBlock[],
  type: 'text' | 'reasoning' | 'refusal',
  text: string,
): readonly LiveBlock[] {
  const last = blocks.at(-1);
  if (last?.type === type) return [...blocks.slice(0, -1), { ...last, text: last.text + text }];
  return [...blocks, type === 'reasoning' ? { type, text, redacted: false } : { type, text }];
}

function withArguments(blocks: readonly LiveBlock[], index: number, text: string): readonly LiveBlock[] {
  return blocks.map((block) =>
    block.type === 'tool-use' && block.index === index
      ? { ...block, rawParameters: block.rawParameters + text }
      : block,
  );
}
