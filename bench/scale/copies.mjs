// Many recorded exchanges by plain SQL: the rows of a recorded project again and again, each copy older than the one before.
// While tables are filled they have no indexes.
import { createHash } from 'node:crypto';

/** Ids of exchanges begin with the time in base 36. All of a recording has the same first digits; copies differ in them. */
export const BLOCK_MS = 36 ** 5;
const BLOCK_DIGITS = 4;

/** @param {number} time */
const blockDigits = (time) => time.toString(36).padStart(9, '0').slice(0, BLOCK_DIGITS);

/**
 * In the rows that are copied, these stand where copies differ: in ids as text, in packed hashes, and in times. Texts of members
 * are packed (packages/forest/src/store/postgres/members.ts): a code of two characters may stand before an id, and hashes that
 * are no digests of texts are the characters 2 and 3 before base64, of which eight are six bytes.
 */
const [ID, HASH, TIME] = ['\ue000', '\ue001', '\ue002'];
const withMarks = (/** @type {string} */ column) =>
  [
    [
      String.raw`'([\u001c\u001d].|[^0-9a-zA-Z]|^)(?!0{40}\M)[0-9a-f]{3}([0-9a-f]{13,45})(?![0-9a-zA-Z])'`,
      `'\\1${ID}\\2'`,
    ],
    [String.raw`'([\u0002\u0003])(?!A{27})[0-9A-Za-z_-]{8}'`, `'\\1${HASH}'`],
    [`$1 || '([0-9a-z]{5}[.])'`, `'${TIME}\\1'`],
  ].reduce((text, [pattern, mark]) => `regexp_replace(${text}, ${pattern}, ${mark}, 'g')`, column);
const inText = (/** @type {string} */ column) => ({
  template: withMarks(column),
  copied: `replace(replace(replace(${column}, '${ID}', copy.tag), '${HASH}', copy.hash), '${TIME}', copy.block)`,
});
/** Ids as bytes; the root is none. */
const inBytes = (/** @type {string} */ column, from = 1) => ({
  template: undefined,
  copied: `case when ${column} = '' then ${column} else overlay(${column} placing copy.bytes from ${from}) end`,
});
const only = (/** @type {string} */ copied) => ({ template: undefined, copied });

/**
 * Which columns differ in a copy. Its messages refer to the texts of the recording, because a text is compared with its
 * digest when it is read; the copies of texts only take their place. Readers of changes count copies as read.
 */
const READ = { lane: only('0'), n: only('0') };
const EARLIER = only('at - copy.ms');
/** @type {readonly { name: string, key?: string, changes: Readonly<Record<string, { template: string | undefined, copied: string }>> }[]} */
const TABLES = [
  {
    name: 'entry',
    key: 'id',
    changes: {
      id: inText('id'),
      of: inText('"of"'),
      order: inText('"order"'),
      clock: inText('clock'),
      members: inText('members'),
      ...READ,
    },
  },
  {
    name: 'ref',
    key: '(key || name)',
    changes: {
      key: inText('key'),
      name: inText('name'),
      clock: inText('clock'),
      members: inText('members'),
      ...READ,
    },
  },
  {
    name: 'node',
    changes: {
      id: inBytes('id'),
      parent: inBytes('parent'),
      // Its first byte is a version.
      echo: inBytes('echo', 2),
      lead: inBytes('lead'),
      at: EARLIER,
      ...READ,
    },
  },
  {
    name: 'take',
    changes: { node: inBytes('node'), id: inBytes('id'), at: EARLIER, members: inText('members'), ...READ },
  },
  { name: 'words', changes: { id: inBytes('id') } },
  { name: 'body', changes: { digest: inBytes('digest') } },
  // Keys of facts are hashes in letters, digits, `-` and `_`, and their values are packed: copies take the place of others, and
  // are asked for by nobody.
  {
    name: 'fact',
    key: 'key',
    changes: {
      key: { template: `'${ID}' || substr(key, 4)`, copied: `replace(key, '${ID}', '.' || substr(copy.tag, 2))` },
    },
  },
];

/**
 * Partitions for all months that the copies will have: each project gets an exchange for each copy first.
 * @param {any} pool
 * @param {(project: string) => Promise<import('@skein/forest').Store>} open
 * @param {number} began
 * @param {readonly { project: string, copies: number }[]} projects
 */
export async function makeMonths(pool, open, began, projects) {
  for (const { project, copies } of projects) {
    const store = await open(project);
    const times = Array.from({ length: copies + 1 }, (_, k) => began - k * BLOCK_MS);
    await pool.query(
      `insert into skein_entry (project, kind, id, "of", "order", clock, members, lane, n)
       select $1, 'exchange', id, '', '', '', '{"data":{}}', 0, 0 from unnest($2::text[]) as given (id)`,
      [project, times.map((time) => `${time.toString(36).padStart(9, '0')}.0000.first`)],
    );
    await store.months?.create();
    await pool.query("delete from skein_entry where project = $1 and id like '%.first'", [project]);
    await store.close();
  }
}

/**
 * Fills other projects with the rows of a recorded one and with so many copies of them.
 * @param {any} pool
 * @param {{ project: string, began: number }} recorded
 * @param {readonly { project: string, copies: number }[]} projects
 * @param {(text: string) => void} onProgress
 */
export async function fillWithCopies(pool, recorded, projects, onProgress) {
  const indexes = await dropIndexes(pool);
  const tables = [...TABLES];
  await onTwoCores(async () => {
    for (let table = tables.shift(); table; table = tables.shift()) {
      await fillTable(pool, table, recorded, projects);
      onProgress(`filled skein_${table.name}`);
    }
  });
  for (const { project } of projects)
    for (const table of ['lane', 'fact_version'])
      await pool.query(
        `insert into skein_${table} (project, ${await columns(pool, table)})
         select $2, ${await columns(pool, table)} from skein_${table} where project = $1`,
        [recorded.project, project],
      );
  await onTwoCores(async () => {
    for (let index = indexes.shift(); index; index = indexes.shift()) {
      const statement = index;
      await inTransaction(pool, async (client) => {
        await client.query("set local maintenance_work_mem = '1GB'");
        await client.query(statement);
      });
      onProgress(statement);
    }
  });
}

/**
 * Lets nothing wait for the disk while something is filled, and then writes everything to it.
 * @param {any} pool
 * @param {() => Promise<void>} fill
 */
export async function withoutFlushing(pool, fill) {
  const settings = ['fsync', 'full_page_writes'];
  for (const setting of settings) await pool.query(`alter system set ${setting} = off`);
  await pool.query('select pg_reload_conf()');
  await fill();
  for (const setting of settings) await pool.query(`alter system reset ${setting}`);
  await pool.query('select pg_reload_conf()');
  await pool.query('checkpoint');
}

/** Words of different projects differ in their first letters. @param {string} project */
const wordMark = (project) => createHash('sha256').update(project).digest('hex').slice(0, 6);

/** @param {() => Promise<void>} work */
export const onTwoCores = (work) => Promise.all([work(), work()]);

/** Primary keys and indexes of the tables that are filled. Returns the statements that make them again, keys first. @param {any} pool */
async function dropIndexes(pool) {
  const names = TABLES.map(({ name }) => `skein_${name}`);
  const { rows: keys } = await pool.query(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as text
     from pg_constraint where contype = 'p' and conrelid::regclass::text = any($1)`,
    [names],
  );
  for (const key of keys) await pool.query(`alter table ${key.table} drop constraint ${key.name}`);
  const { rows: indexes } = await pool.query(
    'select indexname as name, indexdef as text from pg_indexes where tablename = any($1)',
    [names],
  );
  for (const index of indexes) await pool.query(`drop index ${index.name}`);
  return [
    ...keys.map((/** @type {any} */ key) => `alter table ${key.table} add constraint ${key.name} ${key.text}`),
    ...indexes.map((/** @type {any} */ index) => index.text.replace(' ON ONLY ', ' ON ')),
  ];
}

/** The columns of a table but its project and its `seq`. @param {any} pool @param {string} table */
async function columns(pool, table) {
  const { rows } = await pool.query(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
     where table_name = $1 and column_name not in ('project', 'seq')`,
    [`skein_${table}`],
  );
  return rows[0].names;
}

/**
 * A table that is emptied and filled in one transaction needs no log.
 * @param {any} pool
 * @param {typeof TABLES[number]} table
 * @param {{ project: string, began: number }} recorded
 * @param {readonly { project: string, copies: number }[]} projects
 */
async function fillTable(pool, { name, key, changes }, recorded, projects) {
  const names = await columns(pool, name);
  const copied = names.split(', ').map((/** @type {string} */ column) => changes[unquoted(column)]?.copied ?? column);
  const templates = Object.entries(changes).flatMap(([column, { template }]) =>
    template ? [`"${column}" = ${template}`] : [],
  );
  await inTransaction(pool, async (client) => {
    const insert = `insert into skein_${name} (project, ${names})`;
    await client.query(
      `create temporary table recorded on commit drop as select * from skein_${name} where project = '${recorded.project}'`,
    );
    await client.query(`truncate skein_${name}`);
    await client.query(`${insert} select project, ${names} from recorded`);
    await client.query('create temporary table template on commit drop as select * from recorded');
    if (templates.length > 0)
      await client.query(`update template set ${templates.join(', ')} where $1::text is not null`, [
        blockDigits(recorded.began),
      ]);
    // What belongs to the whole project is there once.
    if (key !== undefined) await client.query(`delete from template where ${key} !~ '[${ID}${TIME}]'`);
    let mark = wordMark(recorded.project);
    for (const { project, copies } of projects) {
      if (name === 'words') {
        for (const table of ['recorded', 'template'])
          await client.query(`update ${table} set words = replace(words::text, $1, $2)::tsvector`, [
            `'${mark}`,
            `'${wordMark(project)}`,
          ]);
        mark = wordMark(project);
      }
      await client.query(`${insert} select $1, ${names} from recorded`, [project]);
      // Not hexadecimal, so that no copy has the id of another message.
      const tags = Array.from({ length: copies }, (_, k) => `z${k.toString(36).padStart(2, '0')}`);
      // Six bytes, of which three are the same for all: of 10,000 ids, some would begin with any three by chance.
      const bytes = tags.map((tag) => Buffer.from(`cp-${tag}`));
      const blocks = Array.from({ length: copies }, (_, k) => blockDigits(recorded.began - (k + 1) * BLOCK_MS));
      await client.query(
        `${insert} select $1, ${copied.join(', ')}
       from (
         select k, k * $2::float8 as ms, ($3::text[])[k] as tag, ($4::text[])[k] as block, ($5::bytea[])[k] as bytes,
           ($6::text[])[k] as hash
         from generate_series(1, $7::integer) as numbers (k) offset 0
       ) as copy cross join template`,
        [project, BLOCK_MS, tags, blocks, bytes, bytes.map((tag) => tag.toString('base64url')), copies],
      );
    }
  });
}

/** @param {any} pool @param {(client: any) => Promise<void>} work */
async function inTransaction(pool, work) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** @param {string} column */
const unquoted = (column) => column.replaceAll('"', '');
