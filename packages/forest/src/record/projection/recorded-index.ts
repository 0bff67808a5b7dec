import { type AppendPoint, ROOT_POINT } from '../../forest/index.ts';
import { ROOT, type TakeContext } from '../../model/index.ts';
import type { Exchange } from '../exchange.ts';
import type { Hints } from '../hints.ts';
import type { Placement } from '../placement.ts';
import type { Turn } from '../read-exchange.ts';
import type { SystemKeys } from './evidence.ts';
import type { EarlyRequest } from './known-replies.ts';

/**
 * What the exchanges so far amount to: enough to find a place for the next one, and nothing of their texts. All of it is in
 * maps that are changed through `set`, so that every step can be taken back.
 */
export interface RecordedIndex {
  readonly nodes: Map<string, IndexNode>;
  /** By echo and the system text it stands under: the deepest, then newest node. */
  readonly echoes: Map<string, string>;
  /** Replies by the words that lead to them, the system text and the hints: those that can be gone on with, newest first. */
  readonly spots: Map<string, SpotList | undefined>;
  /** The one of those that was used last. */
  readonly lastUsed: Map<string, Spot>;
  /** Which hints there are for the same words under the same system text. */
  readonly hintsAt: Map<string, HintsList>;
  /** Replies by the words that lead to them, under any system text. */
  readonly anySystem: Map<string, SpotList>;
  /** Replies by the words of their own turn. */
  readonly turns: Map<string, SpotList>;
  /** The words of its own turn of each reply. */
  readonly turnAt: Map<string, string>;
  /** Replies by what their provider issued; `several` where two exchanges were given the same. */
  readonly proofs: Map<string, Spot | 'several'>;
  /** Long replies of a session, newest first, to be found in a summary. */
  readonly passages: Map<string, Passages>;
  /** What was gone on with in a thread, and by which request last. */
  readonly continued: Map<string, Continuation>;
  readonly responses: Map<string, KnownResponse>;
  readonly conversations: Map<string, KnownConversation>;
  readonly threads: Map<string, IndexThread>;
  /** The group of a session, where another session went on with its conversation. */
  readonly sessions: Map<string, string>;
  /** Cut requests by their bytes and hints: a retry takes their thread over, once. */
  readonly cuts: Map<string, readonly Cut[]>;
  readonly placements: Map<string, Placement>;
  /** Exchanges that prove something which is not known yet, by what that is. */
  readonly awaiting: Map<string, readonly string[]>;
  /** Requests that look for a reply which is not known yet, by its words and when they started. */
  readonly early: Map<string, readonly EarlyRequest[]>;
  /** The keys of system texts by the node that they end with; not undone: they are always the same. */
  readonly systems: Map<string, SystemKeys>;
  /** Changes a map in a way that can be taken back. */
  set<K, V>(map: Map<K, V>, key: K, value: V): void;
  /** From now on changes belong to one more step. Gives what takes that step back. */
  step(): () => void;
}

/** A request that went on from a reply. */
export type Continuation = Pick<Exchange, 'id' | 'start' | 'outcome' | 'requestSha256'>;

export interface IndexNode {
  readonly place: AppendPoint;
  readonly parent: string;
  readonly body: string;
  readonly at: number;
  readonly isReply: boolean;
  /** What its provider issued, where it is a reply. */
  readonly issued: readonly string[];
  /** The nearest node at or above it that has something issued. */
  readonly prover: string | undefined;
}

/** A reply that a thread can be gone on from. */
export interface Spot {
  readonly thread: string;
  readonly node: string;
  /** When the reply was there, in milliseconds. */
  readonly ended: number;
  /** How many replies of 80 characters or more the thread has up to here. */
  readonly longReplies: number;
  readonly system: SystemKeys;
}

/** Newest first. */
interface SpotList {
  readonly spot: Spot;
  readonly next: SpotList | undefined;
}

export interface HintsList {
  readonly hints: Hints;
  readonly key: string;
  readonly count: number;
  readonly next: HintsList | undefined;
}

interface Passages {
  readonly spot: Spot;
  readonly blocks: readonly number[];
  readonly next: Passages | undefined;
}

export interface Cut {
  readonly thread: string;
  readonly parent: string;
  /** The reply that it goes on from. */
  readonly spot: Spot | undefined;
  readonly end: number;
}

export interface IndexThread {
  readonly head: string;
  readonly created: number;
  readonly touched: number;
  readonly title: string;
  readonly opening: string;
  readonly hints: Hints;
  /** Equal hints have equal keys. */
  readonly hintsKey: string;
  readonly part: 'main' | 'subagent' | 'side';
  /** The session that lists fold it under. */
  readonly session?: string | undefined;
  /** It began under a name, or from a history that the server keeps: only requests of that name belong to it. */
  readonly isNamed: boolean;
  readonly hasTools: boolean;
  /** The response that it goes on from and that was not recorded. */
  readonly unrecorded?: string | undefined;
}

/** A response of an API that keeps them. */
export interface KnownResponse {
  /** The node it is said to. */
  readonly below: string;
  /** The node it became, unless it broke off before its first word or has not come yet. */
  readonly node: string | undefined;
  readonly state: 'pending' | 'cut' | 'whole';
  readonly turn: Omit<Turn, 'messages' | 'answer' | 'system' | 'tools' | 'hintsKey'>;
  readonly thread: string;
  readonly context: TakeContext;
}

/** Where a conversation that the API keeps stands. */
interface KnownConversation {
  readonly response: string | undefined;
  readonly node: string;
  readonly thread: string;
}

export function createRecordedIndex(): RecordedIndex {
  // Of each change the map, the key, and what was there before, in one list: thousands of steps are kept. Only `spots`
  // has values that are undefined, and there they are the same as none.
  let changes: unknown[] = [];
  return {
    nodes: new Map(),
    echoes: new Map(),
    spots: new Map(),
    lastUsed: new Map(),
    hintsAt: new Map(),
    anySystem: new Map(),
    turns: new Map(),
    turnAt: new Map(),
    proofs: new Map(),
    passages: new Map(),
    continued: new Map(),
    responses: new Map(),
    conversations: new Map(),
    threads: new Map(),
    sessions: new Map(),
    cuts: new Map(),
    placements: new Map(),
    awaiting: new Map(),
    early: new Map(),
    systems: new Map(),
    set(map, key, value) {
      changes.push(map, key, map.get(key));
      map.set(key, value);
    },
    step() {
      changes = [];
      const ours = changes;
      return () => {
        for (let at = ours.length - 3; at >= 0; at -= 3) {
          const map = ours[at] as Map<unknown, unknown>;
          const before = ours[at + 2];
          if (before === undefined) map.delete(ours[at + 1]);
          else map.set(ours[at + 1], before);
        }
      };
    },
  };
}

export function placeAt(index: RecordedIndex, id: string): AppendPoint {
  return id === ROOT ? ROOT_POINT : index.nodes.get(id)!.place;
}

export function addIndexNode(index: RecordedIndex, node: IndexNode): void {
  const { id, echo, lead } = node.place;
  index.set(index.nodes, id, node);
  const key = `${echo.text} ${lead}`;
  const best = index.nodes.get(index.echoes.get(key) ?? '');
  if (!best || isBetter(node, best)) index.set(index.echoes, key, id);
}

function isBetter(a: IndexNode, b: IndexNode): boolean {
  if (a.place.depth !== b.place.depth) return a.place.depth > b.place.depth;
  return a.at === b.at ? a.place.id < b.place.id : a.at > b.at;
}

/** The nodes from the first message to one, the deepest last. */
export function indexedPath(index: RecordedIndex, id: string): IndexNode[] {
  const path: IndexNode[] = [];
  for (let at = index.nodes.get(id); at; at = index.nodes.get(at.parent)) path.push(at);
  return path.reverse();
}
