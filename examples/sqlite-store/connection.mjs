import Database from 'libsql';

/**
 * Texts are kept as JSON strings: SQLite ends a text at U+0000, and UTF-8 has no half surrogates. Records are whole JSON
 * objects, so that members which nobody knows yet are kept; the other columns are only there to find them.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS node (id TEXT PRIMARY KEY, seq INTEGER, parent TEXT, depth INTEGER, echo TEXT, lead TEXT, role TEXT, at REAL, json TEXT) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS node_parent ON node (parent, at, id);
  CREATE INDEX IF NOT EXISTS node_seq ON node (seq);
  CREATE INDEX IF NOT EXISTS node_echo ON node (echo, depth);
  CREATE TABLE IF NOT EXISTS body (digest TEXT PRIMARY KEY, json TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS take (id TEXT PRIMARY KEY, node TEXT, at REAL, json TEXT) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS take_node ON take (node, at, id);
  CREATE TABLE IF NOT EXISTS ref (place TEXT PRIMARY KEY, thing TEXT, key TEXT, name TEXT, clock TEXT, isset INTEGER, json TEXT) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS ref_clock ON ref (thing, clock, place);
  CREATE TABLE IF NOT EXISTS entry (kind TEXT, id TEXT, owner TEXT, place TEXT, clock TEXT, json TEXT, PRIMARY KEY (kind, id)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS entry_place ON entry (kind, owner, place, id);
  CREATE TABLE IF NOT EXISTS other (key TEXT PRIMARY KEY, json TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS word (word TEXT, node TEXT, score REAL, PRIMARY KEY (word, node)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS change (seq INTEGER PRIMARY KEY AUTOINCREMENT, json TEXT);
  CREATE TABLE IF NOT EXISTS writer (name TEXT PRIMARY KEY, pid INTEGER) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS epoch (name TEXT PRIMARY KEY) WITHOUT ROWID;
`;

/** SQLite takes no more parameters than this at once. */
const MOST_PARAMETERS = 500;

/**
 * Opens a SQLite file with the tables of a forest.
 * @param {string} path
 */
export function connect(path) {
  const db = new Database(path, { timeout: 10_000 });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  db.exec(SCHEMA);

  /** @param {string} sql @param {...unknown} values @returns {any[]} */
  function all(sql, ...values) {
    return db.prepare(sql).all(...values);
  }
  /** @param {string} sql @param {...unknown} values @returns {any} */
  function get(sql, ...values) {
    return db.prepare(sql).get(...values);
  }
  /** @param {string} sql @param {...unknown} values @returns {number} How many rows it changed. */
  function run(sql, ...values) {
    return db.prepare(sql).run(...values).changes;
  }

  /** Everything or nothing, and one writer after the other. @template T @param {() => T} work @returns {T} */
  function atOnce(work) {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Rows for many keys, asked for in portions. @param {(marks: string) => string} sql @param {readonly unknown[]} keys */
  function forKeys(sql, keys) {
    const rows = [];
    for (let at = 0; at < keys.length; at += MOST_PARAMETERS) {
      const some = keys.slice(at, at + MOST_PARAMETERS);
      rows.push(...all(sql(some.map(() => '?').join(',')), ...some));
    }
    return rows;
  }

  return { db, all, get, run, atOnce, forKeys };
}

/** @param {readonly { json: string }[]} rows @returns {any[]} */
export function records(rows) {
  return rows.map(({ json }) => JSON.parse(json));
}

/** @param {readonly { key: string, json: string }[]} rows @returns {Map<string, any>} */
export function byKey(rows) {
  return new Map(rows.map(({ key, json }) => [key, JSON.parse(json)]));
}
