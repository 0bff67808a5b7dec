import { openSqlite, type SqliteValue } from '../source/sqlite.ts';

/** A session in OpenCode's database, as `opencode export` prints it. */
export interface StoredSession {
  readonly id: string;
  /** When it last changed, in milliseconds. */
  readonly updated: number;
  /** JSON with `info` and `messages`. */
  readonly text: () => string;
}

/** How many sessions are in memory at once. The tables are read again for each group of them. */
const AT_ONCE = 100;

type Row = Readonly<Record<string, SqliteValue>>;

/** Reads the sessions of a database that changed after a time, some at a time. The database is not changed. */
export async function* readStoredSessions(path: string, after = 0): AsyncGenerator<StoredSession> {
  const file = await openSqlite(path);
  try {
    const changed: Row[] = [];
    for await (const row of file.rows('session')) if (Number(row.time_updated ?? 0) > after) changed.push(row);
    for (let at = 0; at < changed.length; at += AT_ONCE) {
      const sessions = changed.slice(at, at + AT_ONCE);
      const rows = await collectRows(file, new Set(sessions.map(({ id }) => id)));
      for (const session of sessions)
        yield {
          id: String(session.id),
          updated: Number(session.time_updated ?? 0),
          text: () => sessionText(session, rows.get(session.id) ?? []),
        };
    }
  } finally {
    await file.close();
  }
}

interface StoredMessage {
  readonly row: Row;
  readonly parts: Row[];
}

async function collectRows(
  file: Awaited<ReturnType<typeof openSqlite>>,
  wanted: ReadonlySet<SqliteValue | undefined>,
): Promise<Map<SqliteValue | undefined, StoredMessage[]>> {
  const messages = new Map<SqliteValue | undefined, StoredMessage>();
  for await (const row of file.rows('message'))
    if (wanted.has(row.session_id)) messages.set(row.id, { row, parts: [] });
  for await (const row of file.rows('part')) messages.get(row.message_id)?.parts.push(row);
  const found = new Map<SqliteValue | undefined, StoredMessage[]>();
  for (const message of messages.values()) {
    const { session_id: session } = message.row;
    found.set(session, [...(found.get(session) ?? []), message]);
  }
  return found;
}

/** Ids sort by the time at which they were made. */
function byId(a: Row, b: Row): number {
  return String(a.id) < String(b.id) ? -1 : 1;
}

function sessionText(session: Row, messages: readonly StoredMessage[]): string {
  const info = {
    id: session.id,
    parentID: session.parent_id ?? undefined,
    directory: session.directory,
    title: session.title,
    version: session.version,
  };
  const texts = messages
    .toSorted((a, b) => byId(a.row, b.row))
    .map(({ row, parts }) => {
      const listed = parts.toSorted(byId).map((part) => withId(part));
      return `{"info":${withId(row)},"parts":[${listed.join(',')}]}`;
    });
  return `{"info":${JSON.stringify(info)},"messages":[${texts.join(',')}]}`;
}

/** The data of a row as it is stored, with the id that its row has. */
function withId({ id, data }: Row): string {
  const text = String(data).trim();
  const members = text.slice(1, -1).trim();
  return `{"id":${JSON.stringify(id)}${members === '' ? '' : `,${members}`}}`;
}
