import {
  type AppendPoint,
  type Forest,
  makeGroupRefs,
  makeRef,
  makeTitle,
  readThreads,
  sessionGroupId,
} from '../forest/index.ts';
import { ROOT, sha256 } from '../model/ids.ts';
import type { RefRecord } from '../model/records.ts';
import { hashHint } from '../record/hints.ts';
import type { Store } from '../store/index.ts';
import type { ImportedConversation, ImportedSession } from './importer.ts';
import type { SessionMeeting } from './session-logs/meet.ts';

/** The group of the threads of a session. */
export function sessionGroup({ id }: ImportedSession): string {
  return sessionGroupId(hashHint(id));
}

/** The session was recorded to its end: the recorded thread has it, and one of an earlier import is merged into it. */
export async function joinRecorded(
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

/** What a thread says of the session that it belongs to. */
function sessionFacts(session: ImportedSession | undefined): Record<string, string> {
  if (!session) return {};
  const { agent, cwd, branch, version, startedBy } = session;
  return {
    agent,
    ...(cwd !== undefined && { cwd }),
    ...(branch !== undefined && { branch }),
    ...(version !== undefined && { agentVersion: version }),
    ...(startedBy !== undefined && { startedBy }),
  };
}

export async function sessionRefs(
  forest: Forest,
  thread: string,
  source: ImportedConversation,
  touched: number,
): Promise<RefRecord[]> {
  const { session } = source;
  if (!session) return [];
  const group = sessionGroup(session);
  const values = {
    ...sessionFacts(session),
    session: hashHint(session.id),
    group,
    part: session.subagent === undefined ? 'main' : 'subagent',
  };
  const clock = sourceStamp(touched, source);
  return [
    ...Object.entries(values).map(
      ([name, value]): RefRecord => ({ k: 'ref', on: 'thread', key: thread, name, value, clock }),
    ),
    ...(await makeGroupRefs(forest, [{ group, thread, touched }])),
  ];
}

/**
 * The id of the thread, which stays the same for the same conversation. A conversation without an id is identified by
 * its last node.
 */
function importedThreadId(format: string, { id }: ImportedConversation, head: string): string {
  return `import-${sha256(`skein-import/1\n${format}\n${id === undefined ? `node ${head}` : `id ${id}`}`).slice(0, 24)}`;
}

/** The nodes from the first message of the conversation to its end. */
export function* pathTo(source: ImportedConversation, places: ReadonlyMap<string, AppendPoint>): Generator<string> {
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
export async function findImported(
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
export async function growThread(
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

/** The refs of the thread itself. A later part of a conversation moves its end, and says again only what changed. */
export async function threadRecords(
  store: Store,
  thread: string,
  head: string,
  source: ImportedConversation,
  { now, isContinued }: { readonly now: number; readonly isContinued: boolean },
): Promise<RefRecord[]> {
  const { createdAt = now, updatedAt, tags = [] } = source;
  const [there] = await readThreads(store, [thread]);
  // A source without times has no news about an existing thread.
  if (updatedAt === undefined && there) return [];
  const isUntitled = !isContinued || there?.title === '';
  const title = source.title || (isUntitled && makeTitle(source.messages.map(({ message }) => message)));
  const clock = sourceStamp(now, source);
  const values = {
    ...(!isContinued && { start: ROOT, created: createdAt }),
    ...((title || !isContinued) && { title }),
    head,
    ...Object.fromEntries(tags.map((tag) => [`tag:${tag}`, true])),
    touched: now,
  };
  return Object.entries(values).map(([name, value]) => ({ k: 'ref', on: 'thread', key: thread, name, value, clock }));
}

/**
 * The clock of a register from a source. Importing it again changes nothing; a later state of the source wins, and so
 * does any change made here.
 */
export function sourceStamp(at: number, { progress }: Pick<ImportedConversation, 'progress'> = {}): string {
  // Of two parts of a log that end in the same millisecond, the later one wins.
  const order = Math.min(progress?.read ?? 0, MOST_ORDER)
    .toString(36)
    .padStart(4, '0');
  return `${Math.max(0, Math.floor(at)).toString(36).padStart(9, '0')}.${order}.import`;
}

const MOST_ORDER = 36 ** 4 - 1;
