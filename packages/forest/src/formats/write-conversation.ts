import { canonical, type Message, rangeDigest } from '@skein/core';
import {
  type AppendPoint,
  allItems,
  createMessageTake,
  type Forest,
  followRedirects,
  makeGroupRefs,
  makeNodeRecords,
  makeRef,
  makeTitle,
  ROOT_POINT,
  readAppendPoint,
  readTakes,
  readThreads,
  sessionGroupId,
  writeCheckpoint,
} from '../forest/index.ts';
import type { SiblingTime } from '../model/clock.ts';
import { ROOT, sha256 } from '../model/ids.ts';
import type { BodyRecord, NodeRecord, RefRecord, TakeRecord } from '../model/records.ts';
import { hashHint } from '../record/hints.ts';
import type { Store } from '../store/index.ts';
import { FormatError, wrongShape } from './format-error.ts';
import type { ImportedConversation, ImportedMessage, ImportedSession } from './importer.ts';
import { meetRecorded, type SessionMeeting } from './session-logs/meet.ts';

interface WrittenConversation {
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

/** Writes a conversation and its thread in one batch, so that either all of it is stored or nothing. */
export async function writeConversation(
  forest: Forest,
  format: string,
  source: ImportedConversation,
  inSameImport: ReadonlySet<string> = new Set(),
): Promise<WrittenConversation> {
  const { store, clock } = forest;
  if (source.messages.length === 0) throw wrongShape('at least one message');
  const now = source.updatedAt ?? source.createdAt ?? clock.now();
  const ordered = { ...source, messages: parentsFirst(source.messages) };
  const met = source.session && (await meetRecorded(forest, sessionGroup(source.session), ordered.messages));
  const { made, places, planned } = await prepareMessages(store, ordered, now, clock.siblingTime, met);
  const ids = made.map(({ node }) => node.id);
  const [there, takes] = await Promise.all([store.nodes(ids), readTakes(store, ids)]);
  const records = made.flatMap(({ node, body, take, hasTime, isMet }) => {
    // If the source has no time, the same facts are the same take, whenever they are imported.
    const isKnown = !hasTime && (takes.get(node.id) ?? []).some((known) => isSameTake(known, take));
    return isKnown ? [] : isMet ? [take] : [body, node, take];
  });
  const head = places.get(source.head ?? '')?.id ?? places.get(source.messages.at(-1)!.key)!.id;
  const above = [...pathTo(source, places)];
  const imported = await findImported(store, format, source, head, above, inSameImport);
  const isRecorded = met !== undefined && (await store.path(met.thread.head)).some(({ id }) => id === head);
  const refs = isRecorded
    ? [...(await joinRecorded(forest, met, imported, source)), ...(await redirectImported(forest, places, planned))]
    : [
        ...(await threadRecords(store, imported, head, source, now)),
        ...(await growThread(forest, imported, head, source, above)),
        ...(met ? [makeRef(forest, 'thread', imported, 'forkedFrom', met.thread.id)] : []),
        ...(await sessionRefs(forest, imported, source.session, now)),
      ];
  await store.append([...records, ...refs]);
  const thread = isRecorded ? met.thread.id : imported;
  await writeCheckpoints(forest, ordered.messages, places, thread);
  const added = new Set(ids.filter((_, index) => there[index] === undefined)).size;
  return { thread, messages: made.length, added };
}

function sessionGroup({ id }: ImportedSession): string {
  return sessionGroupId(hashHint(id));
}

/** The session was recorded to its end: the recorded thread has it, and one of an earlier import is merged into it. */
async function joinRecorded(
  forest: Forest,
  { thread }: SessionMeeting,
  imported: string,
  { session }: ImportedConversation,
): Promise<RefRecord[]> {
  const [before] = await readThreads(forest.store, [imported]);
  const about = sessionFacts(session);
  return [
    ...Object.entries(about).map(([name, value]) => makeRef(forest, 'thread', thread.id, name, value)),
    ...(before
      ? Object.entries({ deleted: true, mergedInto: thread.id }).map(([name, value]) =>
          makeRef(forest, 'thread', imported, name, value),
        )
      : []),
  ];
}

/**
 * An import from before the session was recorded wrote nodes of its own: they lead to the recorded ones from now on, unless
 * somebody went on from them.
 */
async function redirectImported(
  forest: Forest,
  places: ReadonlyMap<string, AppendPoint>,
  planned: readonly PreparedMessage[],
): Promise<RefRecord[]> {
  const { store } = forest;
  const own = new Map(planned.map(({ key, node }) => [node.id, places.get(key)!.id]));
  const there = (await store.nodes([...own.keys()])).filter((node) => node !== undefined);
  const kept = new Set<string>();
  const refs: RefRecord[] = [];
  for (const { id, parent } of there.sort((a, b) => b.depth - a.depth)) {
    const target = own.get(id);
    let isLeft = target !== id && !kept.has(id);
    for await (const child of allItems((page) => store.children(id, page))) isLeft &&= own.has(child.id);
    if (isLeft) refs.push(makeRef(forest, 'node', id, 'moved', target));
    else kept.add(parent);
  }
  return refs;
}

/** What a thread says of the session that it belongs to. */
function sessionFacts(session: ImportedSession | undefined): Record<string, string> {
  if (!session) return {};
  const { agent, cwd, branch, startedBy } = session;
  return {
    agent,
    ...(cwd !== undefined && { cwd }),
    ...(branch !== undefined && { branch }),
    ...(startedBy !== undefined && { startedBy }),
  };
}

async function sessionRefs(
  forest: Forest,
  thread: string,
  session: ImportedSession | undefined,
  touched: number,
): Promise<RefRecord[]> {
  if (!session) return [];
  const group = sessionGroup(session);
  const values = {
    ...sessionFacts(session),
    session: hashHint(session.id),
    group,
    part: session.subagent === undefined ? 'main' : 'subagent',
  };
  const clock = sourceStamp(touched);
  return [
    ...Object.entries(values).map(
      ([name, value]): RefRecord => ({ k: 'ref', on: 'thread', key: thread, name, value, clock }),
    ),
    ...(await makeGroupRefs(forest, [{ group, thread, touched }])),
  ];
}

/** After a compaction, the model got something in place of the messages before: a checkpoint says what. */
async function writeCheckpoints(
  forest: Forest,
  messages: readonly ImportedMessage[],
  places: ReadonlyMap<string, AppendPoint>,
  thread: string,
): Promise<void> {
  const byKey = new Map(messages.map((message) => [message.key, message]));
  for (const { key, parent, instead } of messages) {
    if (!instead) continue;
    const before: Message[] = [];
    for (let at = byKey.get(parent ?? ''); at; at = byKey.get(at.parent ?? '')) before.unshift(at.message);
    const replacement = instead.map(({ raw, origin }) => ({ dialect: origin.dialect, raw, origin }));
    const checkpoint = { upTo: before.length, digest: rangeDigest(before, before.length), replacement };
    await writeCheckpoint(forest, places.get(key)!.id, thread, [checkpoint]);
  }
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
) {
  const planned = await prepareBelow(ordered, now, siblingTime, async (id) => id);
  const moves = await followRedirects(
    store,
    planned.made.map(({ node }) => node.id),
  );
  if (!met && [...moves].every(([from, to]) => from === to)) return { ...planned, planned: planned.made };
  const present = await prepareBelow(
    ordered,
    now,
    siblingTime,
    async (id) => (await followRedirects(store, [id])).get(id)!,
    (id) => readAppendPoint(store, id),
    met && (async (key) => (met.nodes.has(key) ? (await store.nodes([met.nodes.get(key)!]))[0] : undefined)),
  );
  return { ...present, planned: planned.made };
}

async function prepareBelow(
  source: ImportedConversation,
  now: number,
  siblingTime: SiblingTime,
  whereIs: (id: string) => Promise<string>,
  placeAt?: (id: string) => Promise<AppendPoint>,
  recordedAs?: (key: string) => Promise<NodeRecord | undefined>,
) {
  const made: PreparedMessage[] = [];
  const places = new Map<string, AppendPoint>();
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

/**
 * The id of the thread, which stays the same for the same conversation. A conversation without an id is identified by
 * its last node.
 */
function importedThreadId(format: string, { id }: ImportedConversation, head: string): string {
  return `import-${sha256(`skein-import/1\n${format}\n${id === undefined ? `node ${head}` : `id ${id}`}`).slice(0, 24)}`;
}

/** The nodes from the first message of the conversation to its end. */
function* pathTo(source: ImportedConversation, places: ReadonlyMap<string, AppendPoint>): Generator<string> {
  const byKey = new Map(source.messages.map((message) => [message.key, message]));
  const keys: string[] = [];
  for (let at = byKey.get(source.head ?? '') ?? source.messages.at(-1); at; at = byKey.get(at.parent ?? ''))
    keys.push(at.key);
  for (const key of keys.toReversed()) yield places.get(key)!.id;
}

/**
 * The thread of a conversation. One without an id that has grown since an earlier import is known by the node at which it
 * ended then. A conversation of the same import is another one, even if this one begins with all of its messages.
 */
async function findImported(
  store: Store,
  format: string,
  source: ImportedConversation,
  head: string,
  above: readonly string[],
  inSameImport: ReadonlySet<string>,
): Promise<string> {
  const own = importedThreadId(format, source, head);
  if (source.id !== undefined) return own;
  const earlier = above.map((node) => importedThreadId(format, source, node)).toReversed();
  const there = await readThreads(store, [own, ...earlier]);
  if (there[0]) return own;
  return there.slice(1).find((thread) => thread && !thread.deleted && !inSameImport.has(thread.id))?.id ?? own;
}

/** A source without times has grown if the thread ends at one of its earlier messages: nobody has continued it here. */
async function growThread(
  forest: Forest,
  thread: string,
  head: string,
  { updatedAt }: ImportedConversation,
  above: readonly string[],
): Promise<RefRecord[]> {
  if (updatedAt !== undefined) return [];
  const [there] = await readThreads(forest.store, [thread]);
  if (!there || there.head === head || !above.includes(there.head)) return [];
  return [
    makeRef(forest, 'thread', thread, 'head', head),
    makeRef(forest, 'thread', thread, 'touched', forest.clock.now()),
  ];
}

async function threadRecords(
  store: Store,
  thread: string,
  head: string,
  source: ImportedConversation,
  now: number,
): Promise<RefRecord[]> {
  const { createdAt = now, updatedAt, tags = [] } = source;
  // A source without times has no news about an existing thread.
  if (updatedAt === undefined && (await readThreads(store, [thread]))[0]) return [];
  const clock = sourceStamp(now);
  const values = {
    start: ROOT,
    head,
    title: source.title || makeTitle(source.messages.map(({ message }) => message)),
    created: createdAt,
    ...Object.fromEntries(tags.map((tag) => [`tag:${tag}`, true])),
    touched: now,
  };
  return Object.entries(values).map(([name, value]) => ({ k: 'ref', on: 'thread', key: thread, name, value, clock }));
}

/** Sorts messages so that parents come before their children, otherwise in their order. */
function parentsFirst(messages: readonly ImportedMessage[]): ImportedMessage[] {
  const below = new Map<string | undefined, ImportedMessage[]>();
  const keys = new Set(messages.map(({ key }) => key));
  if (keys.size < messages.length) throw new FormatError('broken_tree', 'Two messages have the same id.');
  for (const message of messages) {
    const { key, parent } = message;
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

/**
 * The clock of a register from a source. Importing it again changes nothing; a later state of the source wins, and so
 * does any change made here.
 */
export function sourceStamp(at: number): string {
  return `${Math.max(0, Math.floor(at)).toString(36).padStart(9, '0')}.0000.import`;
}
