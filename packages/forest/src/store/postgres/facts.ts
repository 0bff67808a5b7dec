import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { sql } from 'kysely';
import type { FactStore, FactVersion } from '../store.ts';
import type { PostgresContext } from './context.ts';
import { fromStored, toStored } from './values.ts';

const ROWS_AT_ONCE = 5000;

/** The facts of a project. Every statement reads one state of the database, so a value always belongs to the version read with it. */
export function factQueries({ db, own }: PostgresContext): FactStore {
  return {
    async version() {
      const { rows } = await sql<FactVersion>`
        select version, state from skein_fact_version where project = ${own}`.execute(db);
      const [row] = rows;
      return row && { version: row.version, state: fromStored(row.state) };
    },
    async read(keys) {
      const { rows } = await sql<{ version: string | null; key: string | null; value: Buffer | null }>`
        select known.version, fact.key, fact.value
        from (values (${own}::text)) as given (project)
        left join skein_fact_version as known on known.project = given.project
        left join skein_fact as fact on fact.project = given.project and fact.key = any(${keys.map(toStored)}::text[])
      `.execute(db);
      const found = new Map(rows.map(({ key, value }) => [key, value]));
      return {
        version: rows[0]!.version ?? undefined,
        values: keys.map((key) => {
          const value = found.get(toStored(key));
          return value ? unpack(value) : undefined;
        }),
      };
    },
    write: (from, to, values) =>
      db.transaction().execute(async (transaction) => {
        const state = toStored(to.state);
        const { numAffectedRows } =
          from === undefined
            ? await sql`
                insert into skein_fact_version (project, version, state) values (${own}, ${to.version}, ${state})
                on conflict (project) do nothing`.execute(transaction)
            : await sql`
                update skein_fact_version set version = ${to.version}, state = ${state}
                where project = ${own} and version = ${from}`.execute(transaction);
        if (numAffectedRows !== 1n) return false;
        // Others wait for the row of the version, so the order of keys is free.
        const all = [...values];
        for (let at = 0; at < all.length; at += ROWS_AT_ONCE) {
          const some = all.slice(at, at + ROWS_AT_ONCE);
          const set = some.filter((row): row is [string, string] => row[1] !== undefined);
          const packed = await packAll(set.map(([, value]) => value));
          await sql`
            insert into skein_fact (project, key, value)
            select ${own}, given.key, given.value
            from unnest(${set.map(([key]) => toStored(key))}::text[], ${packed}::bytea[])
              as given (key, value)
            on conflict (project, key) do update set value = excluded.value`.execute(transaction);
          const gone = some.filter(([, value]) => value === undefined).map(([key]) => toStored(key));
          if (gone.length > 0)
            await sql`delete from skein_fact where project = ${own} and key = any(${gone}::text[])`.execute(
              transaction,
            );
        }
        return true;
      }),
    clear: () => db.transaction().execute((transaction) => clearFacts(transaction, own)),
  };
}

export async function clearFacts(db: PostgresContext['db'], own: string): Promise<void> {
  await sql`delete from skein_fact_version where project = ${own}`.execute(db);
  await sql`delete from skein_fact where project = ${own}`.execute(db);
}

/**
 * Facts are small JSON texts with the same names again and again: packed with these names at hand they take a third of the
 * space. Only this store reads them, and they can be derived again.
 */
const NAMES = Buffer.from(
  [
    '{"system ":{"key":"[[],[],\\"\\"]","count":{"thread ":{"head":"","created":17,"touched":17,"title":"","opening":"","hints":{},',
    '"hintsKey":"[[],[],\\"\\"]","part":"main","session":"isNamed":false,"hasTools":false}}{"turn e3b0c44298fc1c14":',
    '{"deepest 0000000000000000000000000000000000000000":"","hints e3b0c44298fc1c14":{"hints":{},"key":"[[],[],\\"\\"]","count":1},',
    '"any ":{"spot":{"thread":"","spots e3b0c44298fc1c14 [[],[],\\"\\"]":{"spot":{"thread":"","used e3b0c44298fc1c14 [[],[],\\"\\"]":',
    '{"thread":"","node":"","ended":17,"longReplies":0,"system":{"dated":"e3b0c44298fc1c14","numbered":"e3b0c44298fc1c14"}}},',
    '{"node ":{"place":{"id":"","depth":1,"lead":"0000000000000000000000000000000000000000","echo":{"text":"1:","calls":[],',
    '"answered":0,"leading":false}},"parent":"0000000000000000000000000000000000000000","body":"","at":17,"isReply":true,"issued":[]},',
    '"turn ":"1:","continued ":{"id":"0m","start":17,"outcome":"done","requestSha256":""}}',
  ].join(''),
);

/** What was stored before facts were packed begins like this; nothing that is packed does. */
const UNPACKED = '{'.charCodeAt(0);
const PACKED = Buffer.from([1]);
const PACKED_AT_ONCE = 100;

/** Others have their turn in between: there may be thousands. */
async function packAll(values: readonly string[]): Promise<Buffer[]> {
  const packed: Buffer[] = [];
  for (const value of values) {
    packed.push(Buffer.concat([PACKED, deflateRawSync(toStored(value), { dictionary: NAMES })]));
    if (packed.length % PACKED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return packed;
}

function unpack(value: Buffer): string {
  const isPacked = value[0] !== UNPACKED;
  const bytes = isPacked ? inflateRawSync(value.subarray(PACKED.length), { dictionary: NAMES }) : value;
  return fromStored(bytes.toString('utf8'));
}
