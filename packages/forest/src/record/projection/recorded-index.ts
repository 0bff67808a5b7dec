import { type AppendPoint, ROOT_POINT } from '../../forest/index.ts';
import { ROOT, sha256 } from '../../model/ids.ts';
import type { TakeContext } from '../../model/records.ts';
import type { Exchange } from '../exchange.ts';
import type { Hints } from '../hints.ts';
import type { Placement } from '../placement.ts';
import type { Turn } from '../read-exchange.ts';
import type { SystemKeys } from './evidence.ts';
import { FactMap, type FactSpec, type OlderFacts, type RowChanges, type RowReader } from './fact-map.ts';
import type { EarlyList } from './known-replies.ts';
import { RecentMessages } from './recent-messages.ts';

/**
 * Everything that is needed to place the next exchange, made of all exchanges before it, without their texts. Its maps
 * are changed through `set` only, so that every step can be undone. If the store keeps facts, only those of the last steps
 * and those in use are in memory.
 */
export interface RecordedIndex {
  readonly nodes: FactMap<IndexNode>;
  /** The deepest, then newest node for each echo and system text. */
  readonly echoes: FactMap<string>;
  /** Replies that can be continued, newest first, by the words that lead to them, the system text and the hints. */
  readonly spots: FactMap<SpotList | undefined>;
  /** For the same key, the reply that was continued last. */
  readonly lastUsed: FactMap<ContinuationPoint>;
  /** The different hints seen with the same words and system text. */
  readonly hintsAt: FactMap<HintsList>;
  /** Replies by the words that lead to them, whatever the system text. */
  readonly anySystem: FactMap<SpotList>;
  /** Replies by the words of their turn: the question and the reply. */
  readonly turns: FactMap<SpotList>;
  /** The turn key of each reply. */
  readonly turnAt: FactMap<string>;
  /** Replies by the ids and signatures that their provider issued; `several` if two exchanges got the same one. */
  readonly proofs: FactMap<ContinuationPoint | 'several'>;
  /**
   * Long replies of each session, newest first, to recognise summaries that quote them. Of programs that name no session,
   * only summaries, by the system text of the conversation.
   */
  readonly passages: FactMap<Passages>;
  /** The last request that continued a reply of a thread. */
  readonly continued: FactMap<Continuation>;
  readonly responses: FactMap<KnownResponse>;
  readonly conversations: FactMap<KnownConversation>;
  readonly threads: FactMap<IndexThread>;
  /** The session that another session belongs to, because it continued its conversation. */
  readonly sessions: FactMap<string>;
  /** The conversation that each agent of a session had last, side calls left out. */
  readonly latest: FactMap<string>;
  /** Cut requests by their bytes and hints. A retry takes over the thread of one of them. */
  readonly cuts: FactMap<readonly Cut[]>;
  readonly placements: FactMap<Placement>;
  /** Exchanges that refer to an id which is not known yet, by that id. */
  readonly awaiting: FactMap<readonly string[]>;
  /** Requests whose reply is not known yet, by the words of the reply. */
  readonly early: FactMap<EarlyList>;
  /** The keys of system texts by the node that they end with. */
  readonly systems: FactMap<SystemKeys>;
  /** Messages that were parsed for recent requests. */
  readonly recent: RecentMessages;
  /** Changes a map so that the change can be undone. */
  set<V>(map: FactMap<V>, key: string, value: NoInfer<V>): void;
  /** Begins a step. */
  step(): IndexStep;
  /** Takes the facts of all steps but these out of memory, and returns them by row. */
  fold(kept: readonly IndexStep[]): RowChanges;
  /** Whether a fact was asked for whose row is not in memory. */
  readonly isWaiting: boolean;
  /** What this computes from the index, after all rows that it needs are read. It is called again until they are. */
  read<T>(compute: () => T): Promise<T>;
  /** Takes steps on trial and undoes them, to read the facts that they ask for in one go. */
  foresee(steps: readonly (() => unknown)[]): Promise<void>;
}

/** The changes of one step. */
export interface IndexStep {
  undo(): void;
  /** Map, key and former value of each change, in one flat list, because thousands of steps are kept. */
  readonly changes: readonly unknown[];
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
  /** The echoes of what the client sent before the reply, and with it, if they are not those of the path. */
  readonly sent?: { readonly before: string; readonly after: string };
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
  /** It asks for a summary that takes the place of a conversation. */
  readonly sumsUp?: SummedUp | undefined;
}

/** A conversation that a program had summed up: its thread, and its last message if the request had it. */
export interface SummedUp {
  readonly thread: string;
  readonly node?: string | undefined;
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
  /** Its history was recorded under another system text. */
  readonly otherSystem: boolean;
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

/** The first word of a key names the row: an echo, a node, or whatever the map is about. */
function byFirst(kind: string): (key: string) => readonly [string, string] {
  return (key) => {
    const at = key.indexOf(' ');
    return at < 0 ? [`${kind} ${key}`, ''] : [`${kind} ${key.slice(0, at)}`, key.slice(at + 1)];
  };
}

function byWhole(kind: string): (key: string) => readonly [string, string] {
  return (key) => [`${kind} ${key}`, ''];
}

/** A thread and the reply in it that was continued: the facts of a reply are together. */
function byReply(key: string): readonly [string, string] {
  return [`node ${key.slice(key.indexOf(' ') + 1)}`, key];
}

/** Of replies with the same words only the newest are kept: no rule compares more. */
const MOST_LISTED = 257;

function newest<L extends { readonly next: L | undefined }>(list: L | undefined): L | undefined {
  const cells: L[] = [];
  for (let at: L | undefined = list; at && cells.length < MOST_LISTED; at = at.next) cells.push(at);
  return cells.reduceRight<L | undefined>((next, cell) => ({ ...cell, next }), undefined);
}

const ECHO = byFirst('echo');
const NODE = byFirst('node');

/** Facts without rows are needed for seconds only, while the clocks of two servers differ. */
const SPECS = {
  nodes: { name: 'node', split: NODE },
  echoes: { name: 'deepest', split: ECHO },
  spots: { name: 'spots', split: ECHO, shorten: newest<SpotList> },
  lastUsed: { name: 'used', split: ECHO },
  hintsAt: { name: 'hints', split: ECHO, shorten: newest<HintsList> },
  anySystem: { name: 'any', split: ECHO, shorten: newest<SpotList> },
  turns: { name: 'turn', split: byFirst('turn'), shorten: newest<SpotList> },
  turnAt: { name: 'turn', split: NODE },
  proofs: { name: 'proof', split: byWhole('proof') },
  passages: { name: 'passages', split: byFirst('session'), shorten: newest<Passages> },
  continued: { name: 'continued', split: byReply },
  responses: { name: 'response', split: byWhole('response') },
  conversations: { name: 'conversation', split: byWhole('response') },
  threads: { name: 'thread', split: byWhole('thread') },
  sessions: { name: 'joined', split: byFirst('session') },
  latest: { name: 'latest', split: byFirst('session') },
  cuts: { name: 'cuts', split: byFirst('cut') },
  placements: { name: 'placement' },
  awaiting: { name: 'awaiting' },
  early: { name: 'early' },
  systems: { name: 'system', split: NODE },
} as const;

/** `rows` reads facts of earlier steps; without it, all steps are in memory. */
export function createRecordedIndex(older?: OlderFacts, rows?: RowReader): RecordedIndex {
  const known = older && rows ? older : undefined;
  const made: FactMap<unknown>[] = [];
  const map = <V>(spec: FactSpec<V>): FactMap<V> => {
    const facts = new FactMap<V>(spec, known);
    made.push(facts as FactMap<unknown>);
    return facts;
  };
  let changes: unknown[] = [];
  return {
    nodes: map(SPECS.nodes),
    echoes: map(SPECS.echoes),
    spots: map<SpotList | undefined>(SPECS.spots),
    lastUsed: map(SPECS.lastUsed),
    hintsAt: map(SPECS.hintsAt),
    anySystem: map(SPECS.anySystem),
    turns: map(SPECS.turns),
    turnAt: map(SPECS.turnAt),
    proofs: map(SPECS.proofs),
    passages: map(SPECS.passages),
    continued: map(SPECS.continued),
    responses: map(SPECS.responses),
    conversations: map(SPECS.conversations),
    threads: map(SPECS.threads),
    sessions: map(SPECS.sessions),
    latest: map(SPECS.latest),
    cuts: map(SPECS.cuts),
    placements: map(SPECS.placements),
    awaiting: map(SPECS.awaiting),
    early: map(SPECS.early),
    systems: map(SPECS.systems),
    recent: new RecentMessages(),
    set(facts, key, value) {
      changes.push(facts, key, facts.recent(key));
      facts.put(key, value);
    },
    step() {
      changes = [];
      const ours = changes;
      return {
        changes: ours,
        undo() {
          for (let at = ours.length - 3; at >= 0; at -= 3)
            (ours[at] as FactMap<unknown>).putBack(ours[at + 1] as string, ours[at + 2]);
        },
      };
    },
    fold(kept) {
      const before = new Map<unknown, Map<string, unknown>>(made.map((facts) => [facts, new Map()]));
      for (const step of kept)
        for (let at = 0; at < step.changes.length; at += 3) {
          const facts = before.get(step.changes[at])!;
          const key = step.changes[at + 1] as string;
          if (!facts.has(key)) facts.set(key, step.changes[at + 2]);
        }
      const rows: RowChanges = new Map();
      for (const facts of made) facts.fold(before.get(facts)!, rows);
      return rows;
    },
    get isWaiting() {
      return known?.isWaiting === true;
    },
    async foresee(steps) {
      if (!known || known.isEmpty) return;
      const tried: IndexStep[] = [];
      for (const compute of steps) {
        tried.push(this.step());
        try {
          compute();
        } catch {
          // It is taken again when it is its turn.
        }
      }
      for (const step of tried.toReversed()) step.undo();
      if (known.isWaiting) await known.load(rows!);
    },
    async read(compute) {
      for (;;) {
        let result: ReturnType<typeof compute> | undefined;
        let failure: { readonly error: unknown } | undefined;
        try {
          result = compute();
        } catch (error) {
          // Without its rows a step may meet half of what belongs together.
          failure = { error };
        }
        if (known?.isWaiting) await known.load(rows!);
        else if (failure) throw failure.error;
        else return result as ReturnType<typeof compute>;
      }
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

/** Whether a node is another one or among those above it. */
export function leadsTo(index: RecordedIndex, id: string, below: string): boolean {
  const depth = index.nodes.get(id)?.place.depth ?? 0;
  let at = index.nodes.get(below);
  while (at && at.place.depth > depth) at = index.nodes.get(at.parent);
  return (at?.place.id ?? ROOT) === id;
}

/** The nodes from the first message down to one node. */
export function indexedPath(index: RecordedIndex, id: string): IndexNode[] {
  const path: IndexNode[] = [];
  for (let at = index.nodes.get(id); at; at = index.nodes.get(at.parent)) path.push(at);
  return path.reverse();
}

/** The thread that a fork of a thread at a head becomes: the same, whoever makes it. */
export function forkedThreadId(thread: string, head: string): string {
  return recordedThreadId(`fork\n${thread}\n${head}`);
}

/** The id of a thread that the recorder makes, from what it is made of. */
export function recordedThreadId(of: string): string {
  return sha256(`skein-recorded/1\n${of}`).slice(0, 16);
}
