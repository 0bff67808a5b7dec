import { create } from 'zustand';
import { followGeneration, type GenerationEvent, lastEventOf, type Notice, stateOf } from '../api/events.ts';
import { queryClient } from '../api/queries.ts';
import type { Block, Branch, Generation } from '../api/types.ts';
import { nodeOf, refreshNode } from './nodes.ts';

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
type LiveBlock = Block & { readonly index?: number };

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
/** The last event that was seen of each. */
const seen = new Map<string, string>();
/** How far each one is; shown when the messages it tells of are there. */
const latest = new Map<string, Live>();

/**
 * Shows a generation as it grows. Asking twice follows once; one that was taken up again goes on where it was, and may have
 * ended again before anyone looked.
 */
export function showGeneration(generation: Generation, isTakenUp = false): void {
  const { id } = generation;
  const status = isTakenUp ? 'running' : generation.status;
  const known = latest.get(id);
  if (known && known.status !== 'running' && status === 'running' && !isTakenUp) return void takeUpAgain(id);
  if (isTakenUp) {
    following.get(id)?.();
    following.delete(id);
  }
  if (following.has(id) || (known && status !== 'running')) return;
  const goesOn = known !== undefined && seen.has(id);
  latest.set(
    id,
    goesOn ? { ...known, status, branches: known.branches.map(takenUp) } : liveOf({ ...generation, status }),
  );
  show(id);
  if (status !== 'running') return;
  const waiting: GenerationEvent[] = [];
  const flush = () => takeIn(id, waiting.splice(0));
  following.set(
    id,
    followGeneration(id, goesOn ? seen.get(id) : undefined, (event, eventId) => {
      seen.set(id, eventId);
      waiting.push(event);
      // Drawn once a frame, however many pieces come.
      if (waiting.length === 1) requestAnimationFrame(flush);
    }),
  );
}

/** A list that says it runs may be from before its end was told: only its state knows whether somebody took it up again. */
async function takeUpAgain(id: string): Promise<void> {
  const now = await stateOf(id).catch(() => undefined);
  if (now?.status === 'running' && latest.get(id)?.status !== 'running') showGeneration(now, true);
}

/** Notes how far a generation that ended is told, so that it goes on from there when it is taken up again. */
export async function beforeResuming(id: string): Promise<void> {
  if (seen.has(id)) return;
  const last = await lastEventOf(id);
  if (last !== undefined) seen.set(id, last);
}

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
  const branches = live.branches.map((branch, index) =>
    index === event.branch ? nextBranch(event.type === 'branch-end' ? branch : takenUp(branch), event) : branch,
  );
  return { ...live, branches };
}

/** A branch that ended and goes on: beside what was cut, behind what is whole. One that is done stays. */
function takenUp(branch: LiveBranch): LiveBranch {
  if (branch.status === 'running' || branch.status === 'done') return branch;
  const { pending: _decided, error: _over, ...rest } = branch;
  const end = nodeOf(branch.head);
  const isCut = end?.takes.some(({ cut }) => cut) ?? false;
  return { ...rest, status: 'running', head: isCut ? end!.parent : branch.head };
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
