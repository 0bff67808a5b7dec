import { canonical } from '@skein/core';
import {
  type AppendPoint,
  allItems,
  createMessageTake,
  type Forest,
  followRedirects,
  makeNodeRecords,
  makeRef,
  ROOT_POINT,
  readAppendPoint,
  readTakes,
} from '../forest/index.ts';
import type { SiblingTime } from '../model/clock.ts';
import { createTake } from '../model/ids.ts';
import type { BodyRecord, NodeRecord, RefRecord, TakeRecord } from '../model/records.ts';
import type { Store } from '../store/index.ts';
import { FormatError, wrongShape } from './format-error.ts';
import {
  findImported,
  growThread,
  joinRecorded,
  pathTo,
  sessionGroup,
  sessionRefs,
  threadRecords,
} from './imported-thread.ts';
import type { ImportedConversation, ImportedMessage } from './importer.ts';
import { meetRecorded, type SessionMeeting } from './session-logs/meet.ts';
import { writeCheckpoints } from './write-checkpoints.ts';

/** Nodes by the keys of messages. */
type NodesByKey = Pick<ReadonlyMap<string, string>, 'get' | 'has'>;

/** The part of a conversation that was written before. */
export interface WrittenPart {
  /** The nodes, by the keys of messages: also of those that are written again, because they may have grown. */
  readonly nodes: NodesByKey;
  /** The group of conversations that begin with the same words. */
  readonly opening?: string | undefined;
  /** The recorded thread that the conversation met. */
  readonly met?: string | undefined;
  /** Whether `nodes` has all of them, not only the last ones. */
  readonly isWhole?: boolean;
}

interface WrittenConversation extends WrittenPart {
  readonly thread: string;
  readonly messages: number;
  readonly added: number;
}

interface PreparedMessage {
  readonly key: string;
  readonly node: NodeRecord;
  readonly body: BodyRecord;
  readonly take: TakeRecord;
  readonly hasTime: boolean;
  /** The node was recorded; the source only adds to what is known of it. */
  readonly isMet: boolean;
}

/**
 * Writes a conversation and its thread in one batch, so that either all of it is stored or nothing. Of a conversation that
 * is read part by part, `before` is what was written already; undefined is returned if what is recorded by now needs all of it.
 */
export async function writeConversation(
  forest: Forest,
  format: string,
  source: ImportedConversation,
  inSameImport?: ReadonlySet<string>,
): Promise<WrittenConversation>;
export async function writeConversation(
  forest: Forest,
  format: string,
  source: ImportedConversation,
  inSameImport: ReadonlySet<string>,
  before: WrittenPart | undefined,
): Promise<WrittenConversation | undefined>;
export async function writeConversation(
  forest: Forest,
  format: string,
  source: ImportedConversation,
  inSameImport: ReadonlySet<string> = new Set(),
  before?: WrittenPart,
): Promise<WrittenConversation | undefined> {
  const { store, clock } = forest;
  if (source.messages.length === 0) throw wrongShape('at least one message');
  const now = source.updatedAt ?? source.createdAt ?? clock.now();
  const known: NodesByKey = before?.nodes ?? new Map();
  const ordered = { ...source, messages: parentsFirst(source.messages, known) };
  const meeting =
    source.session && (await meetRecorded(forest, sessionGroup(source.session), ordered.messages, before));
  const met = meeting?.met;
  if (before && !before.isWhole && met && before.met !== met.thread.id) return undefined;
  const { made, places, planned } = await prepareMessages(store, ordered, now, clock.siblingTime, met, known);
  const ids = made.map(({ node }) => node.id);
  const [there, takes] = await Promise.all([store.nodes(ids), readTakes(store, ids)]);
  const records = made.flatMap(({ node, body, take, hasTime, isMet }) => {
    const others = takes.get(node.id) ?? [];
    // If the source has no time, the same facts are the same take, whenever they are imported.
    const isKnown = !hasTime && others.some((one) => isSameTake(one, take));
    return isKnown ? [] : isMet ? [take] : [body, node, withoutKnownUsage(take, others)];
  });
  const head = places.get(source.head ?? '')?.id ?? places.get(source.messages.at(-1)!.key)!.id;
  const above = [...pathTo(source, places)];
  const imported = await findImported(store, format, source, head, above, inSameImport);
  const isRecorded = met !== undefined && (await store.path(met.thread.head)).some(({ id }) => id === head);
  const grown = grownNodes(known, places);
  const moved = isRecorded
    ? [...planned.map(({ key, node }) => [node.id, places.get(key)!.id] as const), ...grown]
    : grown;
  const refs = isRecorded
    ? await joinRecorded(forest, met, imported, source)
    : [
        ...(await threadRecords(store, imported, head, source, { now, isContinued: before !== undefined })),
        ...(await growThread(forest, imported, head, source, above)),
        ...(met ? [makeRef(forest, 'thread', imported, 'forkedFrom', met.thread.id)] : []),
        ...(await sessionRefs(forest, imported, source, now)),
      ];
  await store.append([...records, ...refs, ...(await redirectNodes(forest, new Map(moved)))]);
  const thread = isRecorded ? met.thread.id : imported;
  const nodes = new Map([...places].map(([key, { id }]) => [key, id]));
  const isNew = ({ key }: ImportedMessage) => known.get(key) !== nodes.get(key);
  const nodeOf = (key: string) => nodes.get(key) ?? known.get(key);
  await writeCheckpoints(forest, ordered.messages.filter(isNew), nodeOf, thread, met?.thread.id);
  const added = new Set(ids.filter((_, index) => there[index] === undefined)).size;
  return {
    thread,
    messages: made.filter(({ key }) => !known.has(key)).length,
    added,
    nodes,
    opening: meeting?.opening,
    met: met?.thread.id ?? before?.met,
  };
}

/** What a message cost is counted once, even if its source says more of it later. */
function withoutKnownUsage(take: TakeRecord, others: readonly TakeRecord[]): TakeRecord {
  if (!take.usage || others.some(({ id }) => id === take.id)) return take;
  const isCounted = others.some(({ via, at, usage }) => via === take.via && at === take.at && usage !== undefined);
  if (!isCounted) return take;
  const { id: _id, k: _k, usage: _usage, cost: _cost, ...facts } = take;
  return createTake(facts);
}

/** The nodes of messages that have got more blocks since they were written. */
function grownNodes(known: NodesByKey, places: ReadonlyMap<string, AppendPoint>): (readonly [string, string])[] {
  return [...places].flatMap(([key, { id }]) => {
    const before = known.get(key);
    return before === undefined || before === id ? [] : [[before, id] as const];
  });
}

/** Nodes that other nodes stand for lead to those from now on, unless somebody went on from them. */
async function redirectNodes(forest: Forest, moved: ReadonlyMap<string, string>): Promise<RefRecord[]> {
  if (moved.size === 0) return [];
  const { store } = forest;
  const there = (await store.nodes([...moved.keys()])).filter((node) => node !== undefined);
  const kept = new Set<string>();
  const refs: RefRecord[] = [];
  for (const { id, parent } of there.sort((a, b) => b.depth - a.depth)) {
    const target = moved.get(id);
    let isLeft = target !== id && !kept.has(id);
    for await (const child of allItems((page) => store.children(id, page))) isLeft &&= moved.has(child.id);
    if (isLeft) refs.push(makeRef(forest, 'node', id, 'moved', target));
    else kept.add(parent);
  }
  return refs;
}

/**
 * Prepares the records of all messages. If nodes were moved since the last import, their children follow them, and the
 * old places stay empty.
 */
async function prepareMessages(
  store: Store,
  ordered: ImportedConversation,
  now: number,
  siblingTime: SiblingTime,
  met: SessionMeeting | undefined,
  known: NodesByKey,
) {
  const start = await placesBefore(store, ordered.messages, known);
  const planned = await prepareBelow(ordered, start, now, siblingTime, async (id) => id);
  const moves = await followRedirects(
    store,
    planned.made.map(({ node }) => node.id),
  );
  if (!met && [...moves].every(([from, to]) => from === to)) return { ...planned, planned: planned.made };
  const present = await prepareBelow(
    ordered,
    start,
    now,
    siblingTime,
    async (id) => (await followRedirects(store, [id])).get(id)!,
    (id) => readAppendPoint(store, id),
    met && (async (key) => (met.nodes.has(key) ? (await store.nodes([met.nodes.get(key)!]))[0] : undefined)),
  );
  return { ...present, planned: planned.made };
}

/** The places of the messages of an earlier part that those of this part follow. */
async function placesBefore(
  store: Store,
  messages: readonly ImportedMessage[],
  known: NodesByKey,
): Promise<Map<string, AppendPoint>> {
  const own = new Set(messages.map(({ key }) => key));
  const keys = [
    ...new Set(messages.flatMap(({ parent }) => (parent === undefined || own.has(parent) ? [] : [parent]))),
  ];
  const moves = await followRedirects(
    store,
    keys.map((key) => known.get(key)!),
  );
  const places = new Map<string, AppendPoint>();
  for (const key of keys) places.set(key, await readAppendPoint(store, moves.get(known.get(key)!)!));
  return places;
}

async function prepareBelow(
  source: ImportedConversation,
  start: ReadonlyMap<string, AppendPoint>,
  now: number,
  siblingTime: SiblingTime,
  whereIs: (id: string) => Promise<string>,
  placeAt?: (id: string) => Promise<AppendPoint>,
  recordedAs?: (key: string) => Promise<NodeRecord | undefined>,
) {
  const made: PreparedMessage[] = [];
  const places = new Map(start);
  const times = new Map<string | undefined, number>([[undefined, source.createdAt ?? now]]);
  for (const { key, parent, message, at, take } of source.messages) {
    const place = parent === undefined ? ROOT_POINT : places.get(parent)!;
    // A message without a time was written no earlier than the one before it.
    const time = at ?? times.get(parent) ?? now;
    times.set(key, time);
    const { node, body, next } = makeNodeRecords(place, message, siblingTime(place.id, time));
    const facts = { via: 'import' as const, ...take, at: time };
    const recorded = await recordedAs?.(key);
    if (recorded && placeAt) {
      places.set(key, await placeAt(recorded.id));
      // What it cost is known from the recording.
      const { usage: _usage, cost: _cost, ...known } = facts;
      made.push({
        key,
        node: recorded,
        body,
        take: createMessageTake(message, recorded.id, known),
        hasTime: true,
        isMet: true,
      });
      continue;
    }
    const target = await whereIs(node.id);
    places.set(key, target === node.id || !placeAt ? next : await placeAt(target));
    if (target !== node.id) continue;
    made.push({
      key,
      node,
      body,
      take: createMessageTake(message, node.id, facts),
      hasTime: at !== undefined,
      isMet: false,
    });
  }
  return { made, places };
}

function isSameTake({ id, at, ...known }: TakeRecord, { id: _id, at: _at, ...take }: TakeRecord): boolean {
  return canonical(JSON.stringify(known)) === canonical(JSON.stringify(take));
}

/** Sorts messages so that parents come before their children, otherwise in their order. */
function parentsFirst(messages: readonly ImportedMessage[], known: NodesByKey): ImportedMessage[] {
  const below = new Map<string | undefined, ImportedMessage[]>();
  const keys = new Set(messages.map(({ key }) => key));
  if (keys.size < messages.length) throw new FormatError('broken_tree', 'Two messages have the same id.');
  for (const message of messages) {
    const { key, parent: named } = message;
    const parent = named !== undefined && !keys.has(named) && known.has(named) ? undefined : named;
    if (parent !== undefined && !keys.has(parent))
      throw new FormatError('broken_tree', `The parent ${parent} of message ${key} is missing.`);
    const siblings = below.get(parent);
    if (siblings) siblings.push(message);
    else below.set(parent, [message]);
  }
  const ordered: ImportedMessage[] = [];
  const open = (below.get(undefined) ?? []).toReversed();
  for (let next = open.pop(); next; next = open.pop()) {
    ordered.push(next);
    for (const child of (below.get(next.key) ?? []).toReversed()) open.push(child);
  }
  if (ordered.length < messages.length) throw new FormatError('broken_tree', 'Some messages are their own ancestors.');
  return ordered;
}
