import { type AppendPoint, ROOT_POINT } from '../../forest/index.ts';
import { ROOT } from '../../model/ids.ts';
import type { TakeContext } from '../../model/records.ts';
import type { Exchange } from '../exchange.ts';
import type { Hints } from '../hints.ts';
import type { Placement } from '../placement.ts';
import type { Turn } from '../read-exchange.ts';
import type { SystemKeys } from './evidence.ts';
import type { EarlyRequest } from './known-replies.ts';
import { RecentMessages } from './recent-messages.ts';

/**
 * Everything that is needed to place the next exchange, made of all exchanges before it, without their texts. Its maps
 * are changed through `set` only, so that every step can be undone.
 */
export interface RecordedIndex {
  readonly nodes: Map<string, IndexNode>;
  /** The deepest, then newest node for each echo and system text. */
  readonly echoes: Map<string, string>;
  /** Replies that can be continued, newest first, by the words that lead to them, the system text and the hints. */
  readonly spots: Map<string, SpotList | undefined>;
  /** For the same key, the reply that was continued last. */
  readonly lastUsed: Map<string, ContinuationPoint>;
  /** The different hints seen with the same words and system text. */
  readonly hintsAt: Map<string, HintsList>;
  /** Replies by the words that lead to them, whatever the system text. */
  readonly anySystem: Map<string, SpotList>;
  /** Replies by the words of their turn: the question and the reply. */
  readonly turns: Map<string, SpotList>;
  /** The turn key of each reply. */
  readonly turnAt: Map<string, string>;
  /** Replies by the ids and signatures that their provider issued; `several` if two exchanges got the same one. */
  readonly proofs: Map<string, ContinuationPoint | 'several'>;
  /** Long replies of each session, newest first, to recognise summaries that quote them. */
  readonly passages: Map<string, Passages>;
  /** The last request that continued a reply of a thread. */
  readonly continued: Map<string, Continuation>;
  readonly responses: Map<string, KnownResponse>;
  readonly conversations: Map<string, KnownConversation>;
  readonly threads: Map<string, IndexThread>;
  /** The session that another session belongs to, because it continued its conversation. */
  readonly sessions: Map<string, string>;
  /** Cut requests by their bytes and hints. A retry takes over the thread of one of them. */
  readonly cuts: Map<string, readonly Cut[]>;
  readonly placements: Map<string, Placement>;
  /** Exchanges that refer to an id which is not known yet, by that id. */
  readonly awaiting: Map<string, readonly string[]>;
  /** Requests whose reply is not known yet, by the words of the reply. */
  readonly early: Map<string, readonly EarlyRequest[]>;
  /** The keys of system texts by the node that they end with. They never change, so they are not undone. */
  readonly systems: Map<string, SystemKeys>;
  /** Messages that were parsed for recent requests. */
  readonly recent: RecentMessages;
  /** Changes a map so that the change can be undone. */
  set<K, V>(map: Map<K, V>, key: K, value: V): void;
  /** Begins a step and returns a function that undoes it. */
  step(): () => void;
}

/** A request that continued a reply. */
export type Continuation = Pick<Exchange, 'id' | 'start' | 'outcome' | 'requestSha256'>;

export interface IndexNode {
  readonly place: AppendPoint;
  readonly parent: string;
  readonly body: string;
  readonly at: number;
  readonly isReply: boolean;
  /** The ids and signatures that the provider issued, if it is a reply. */
  readonly issued: readonly string[];
  /** The nearest node, itself or above it, with an issued id. */
  readonly prover: string | undefined;
}

/** A reply that can be continued, with its thread. */
export interface ContinuationPoint {
  readonly thread: string;
  readonly node: string;
  /** When the reply was complete, in milliseconds. */
  readonly ended: number;
  /** How many long replies (80 characters or more) the thread has up to this one. */
  readonly longReplies: number;
  readonly system: SystemKeys;
}

/** Newest first. */
interface SpotList {
  readonly spot: ContinuationPoint;
  readonly next: SpotList | undefined;
}

export interface HintsList {
  readonly hints: Hints;
  readonly key: string;
  readonly count: number;
  readonly next: HintsList | undefined;
}

interface Passages {
  readonly spot: ContinuationPoint;
  readonly blocks: readonly number[];
  readonly next: Passages | undefined;
}

export interface Cut {
  readonly thread: string;
  readonly parent: string;
  /** The reply that it continues. */
  readonly spot: ContinuationPoint | undefined;
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
  /** The session under which lists group the thread. */
  readonly session?: string | undefined;
  /** The thread began under a name or with a history that the API keeps. Only requests with that name belong to it. */
  readonly isNamed: boolean;
  readonly hasTools: boolean;
  /** The id of the response that it continues, if that response was not recorded. */
  readonly unrecorded?: string | undefined;
}

/** A response that the API keeps under an id. */
export interface KnownResponse {
  /** The last message of the history that it answers. */
  readonly below: string;
  /** The node of the reply; undefined if it was cut before its first word or is still pending. */
  readonly node: string | undefined;
  readonly state: 'pending' | 'cut' | 'whole';
  readonly turn: Pick<Turn, 'exchange' | 'params' | 'model' | 'hints'>;
  readonly thread: string;
  readonly context: TakeContext;
  /** The reply as a point to continue from; undefined if there is none yet. */
  readonly spot: ContinuationPoint | undefined;
  /** How many system texts of the context stand beside the messages. The others are messages of the history. */
  readonly besideMessages: number;
}

/** The end of a conversation that the API keeps. */
interface KnownConversation {
  readonly response: string | undefined;
  readonly node: string;
  readonly thread: string;
}

export function createRecordedIndex(): RecordedIndex {
  // One flat list of map, key and former value for each change, because thousands of steps are kept. Only `spots` holds
  // undefined values, and there undefined means the same as absent.
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
    recent: new RecentMessages(),
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

/** The nodes from the first message down to one node. */
export function indexedPath(index: RecordedIndex, id: string): IndexNode[] {
  const path: IndexNode[] = [];
  for (let at = index.nodes.get(id); at; at = index.nodes.get(at.parent)) path.push(at);
  return path.reverse();
}
