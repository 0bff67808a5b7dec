import { create } from 'zustand';
import { fetchGeneration, fetchLastEventId, fetchPastEvents, followGeneration } from '../api/event-streams.ts';
import { queryClient } from '../api/queries.ts';
import type { Generation, GenerationEvent } from '../api/types.ts';
import {
  applyEvent,
  type GenerationOutline,
  type LiveBlock,
  type LiveGeneration,
  resumeBranch,
  toInterruptedGeneration,
  toLiveGeneration,
  toOutline,
} from './live-generation.ts';
import { getNode, refreshNode } from './nodes.ts';
import { rememberThoughts } from './thought-times.ts';

interface LiveState {
  /** The generations without their text: what reads this is not rendered with every frame of a stream. */
  readonly all: ReadonlyMap<string, GenerationOutline>;
  /** The blocks of the next message of each branch that have arrived so far, by generation. */
  readonly blocks: ReadonlyMap<string, readonly (readonly LiveBlock[])[]>;
}

export const useLive = create<LiveState>(() => ({ all: new Map(), blocks: new Map() }));

const NONE: readonly LiveBlock[] = [];

/** The blocks of the next message of a branch that have arrived so far. */
export function useLiveBlocks(generation: string, branch: number): readonly LiveBlock[] {
  return useLive(({ blocks }) => blocks.get(generation)?.[branch] ?? NONE);
}

const following = new Map<string, () => void>();
/** The id of the last event seen, by generation. */
const seen = new Map<string, string>();
/** The latest state of each generation. It is shown once the messages that it refers to are loaded. */
const latest = new Map<string, LiveGeneration>();
/** The messages of generations that are being loaded. */
const loading = new Map<string, Promise<unknown>>();

/**
 * Follows a generation and shows it live. A second call changes nothing. A resumed generation continues after the last event
 * seen, and may have ended again already.
 */
export function showGeneration(generation: Generation, isTakenUp = false): void {
  const { id } = generation;
  const status = isTakenUp ? 'running' : generation.status;
  const known = latest.get(id);
  if (known && known.status !== 'running' && status === 'running' && !isTakenUp) return void followResumed(id);
  if (isTakenUp) {
    following.get(id)?.();
    following.delete(id);
  }
  if (following.has(id) || (known && status !== 'running')) return;
  const goesOn = known !== undefined && seen.has(id);
  latest.set(
    id,
    goesOn
      ? { ...known, status, branches: known.branches.map((branch) => resumeBranch(branch, getNode)) }
      : toLiveGeneration({ ...generation, status }),
  );
  show(id);
  if (status === 'aborted' && generation.endedAt === undefined) void showInterrupted(generation);
  if (status !== 'running') return;
  const waiting: GenerationEvent[] = [];
  const flush = () => applyEvents(id, waiting.splice(0));
  following.set(
    id,
    followGeneration(id, goesOn ? seen.get(id) : undefined, (event, eventId) => {
      seen.set(id, eventId);
      waiting.push(event);
      // Events are applied once per frame, however many arrive.
      if (waiting.length === 1) requestAnimationFrame(flush);
    }),
  );
}

/** Shows what had arrived when the process of a generation died. */
async function showInterrupted(generation: Generation): Promise<void> {
  const { id } = generation;
  const before = latest.get(id);
  const events = await fetchPastEvents(id).catch(() => []);
  if (latest.get(id) !== before) return;
  latest.set(id, toInterruptedGeneration(generation, events, getNode));
  show(id);
}

/** A list that says "running" may be outdated. Only the current state tells whether somebody resumed the generation. */
async function followResumed(id: string): Promise<void> {
  const now = await fetchGeneration(id).catch(() => undefined);
  if (now?.status === 'running' && latest.get(id)?.status !== 'running') showGeneration(now, true);
}

/** Remembers the last event of an ended generation, so that only newer events are followed when it is resumed. */
export async function rememberLastEvent(id: string): Promise<void> {
  if (seen.has(id)) return;
  const last = await fetchLastEventId(id);
  if (last !== undefined) seen.set(id, last);
}

function applyEvents(id: string, events: readonly GenerationEvent[]): void {
  const before = latest.get(id);
  if (!before) return;
  const after = events.reduce((live, event) => {
    if (event.type === 'message') rememberThoughts(event.node, live.branches[event.branch]?.blocks ?? []);
    return applyEvent(live, event, getNode);
  }, before);
  latest.set(id, after);
  if (after.status !== 'running') {
    following.delete(id);
    void queryClient.invalidateQueries({ queryKey: ['generations'] });
  }
  const arrived = events.flatMap((event) => (event.type === 'message' ? [event.node] : []));
  if (arrived.length > 0) void loadMessages(id, arrived);
  // The complete message replaces its pieces in one step, so that nothing flickers. What comes meanwhile waits with it: the end of
  // an answer often arrives in the frame after its message.
  else if (!loading.has(id)) show(id);
}

async function loadMessages(id: string, arrived: readonly string[]): Promise<void> {
  const loaded = Promise.all([loading.get(id), ...arrived.map((node) => refreshNode(node).catch(() => undefined))]);
  loading.set(id, loaded);
  await loaded;
  if (loading.get(id) !== loaded) return;
  loading.delete(id);
  show(id);
}

function show(id: string): void {
  const live = latest.get(id);
  if (!live) return;
  useLive.setState(({ all, blocks }) => {
    const before = all.get(id);
    const outline = toOutline(live, before);
    return {
      ...(outline !== before && { all: new Map(all).set(id, outline) }),
      blocks: new Map(blocks).set(
        id,
        live.branches.map((branch) => branch.blocks),
      ),
    };
  });
}
