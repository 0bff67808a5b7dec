import { randomUUID } from 'node:crypto';
import {
  hashFault,
  indexWords,
  isEntry,
  nodeText,
  pageLimit,
  ROOT,
  readCursor,
  recordKey,
  refKey,
  splitWords,
  toChange,
  toPage,
} from '@skein/forest/store';
import { byKey, connect, records } from './connection.mjs';

/** @import { EntryRecord, NodeRecord, Page, PageRequest, RefRecord, Store, StoreProblem, StoreRecord, TakeRecord } from '@skein/forest/store' */

const LISTEN_MS = 100;

/**
 * A forest in one SQLite file, which any number of processes on this machine may open.
 * @param {string} path
 * @returns {Store}
 */
export function sqliteStore(path) {
  const { db, all, get, run, atOnce, forKeys } = connect(path);
  const writer = `s${randomUUID().slice(0, 8)}`;
  run('INSERT INTO writer VALUES (?, ?)', writer, process.pid);
  run('INSERT OR IGNORE INTO epoch SELECT ? WHERE NOT EXISTS (SELECT 1 FROM epoch)', randomUUID().slice(0, 8));

  /** @type {Map<string, StoreProblem>} */
  const problems = new Map();
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const timer = setInterval(listen, LISTEN_MS).unref();
  let heard = lastChange();

  function lastChange() {
    return Number(get('SELECT coalesce(max(seq), 0) AS seq FROM change').seq);
  }

  function epoch() {
    return get('SELECT name FROM epoch').name;
  }

  function listen() {
    const seq = lastChange();
    if (seq === heard) return;
    heard = seq;
    for (const listener of listeners) listener();
  }

  /** Whether a record is new. @param {StoreRecord} record */
  function add(record) {
    const json = JSON.stringify(record);
    switch (record.k) {
      case 'node': {
        const { id, parent, depth, echo, lead, facts, at } = record;
        const seq = 'SELECT coalesce(max(seq), 0) + 1 FROM node';
        const isNew =
          run(
            `INSERT OR IGNORE INTO node VALUES (?, (${seq}), ?, ?, ?, ?, ?, ?, ?)`,
            id,
            parent,
            depth,
            echo,
            lead,
            facts.role,
            at,
            json,
          ) > 0;
        if (isNew) addWords(record);
        // Of a node that is written twice the earlier time counts, so that copies agree.
        const isEarlier =
          !isNew && run('UPDATE node SET at = ?, json = ? WHERE id = ? AND at > ?', at, json, id, at) > 0;
        return isNew || isEarlier;
      }
      case 'body':
        return run('INSERT OR IGNORE INTO body VALUES (?, ?)', record.digest, JSON.stringify(record.text)) > 0;
      case 'take':
        return run('INSERT OR IGNORE INTO take VALUES (?, ?, ?, ?)', record.id, record.node, record.at, json) > 0;
      case 'ref': {
        const { on, key, name, clock, value } = record;
        const later =
          'ON CONFLICT DO UPDATE SET clock = excluded.clock, isset = excluded.isset, json = excluded.json WHERE excluded.clock > clock';
        return (
          run(
            `INSERT INTO ref VALUES (?, ?, ?, ?, ?, ?, ?) ${later}`,
            refKey(record),
            on,
            key,
            name,
            clock,
            value === null ? 0 : 1,
            json,
          ) > 0
        );
      }
      default: {
        if (!isEntry(record)) return run('INSERT OR IGNORE INTO other VALUES (?, ?)', recordKey(record), json) > 0;
        const { k, id, of, order, clock } = record;
        const later =
          'ON CONFLICT DO UPDATE SET owner = excluded.owner, place = excluded.place, clock = excluded.clock, json = excluded.json WHERE excluded.clock > clock';
        return run(`INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?) ${later}`, k, id, of, order, clock, json) > 0;
      }
    }
  }

  /** A word counts for more where a text has few others. @param {NodeRecord} node */
  function addWords(node) {
    const body = get('SELECT json FROM body WHERE digest = ?', node.body);
    const words = indexWords(nodeText(node.dialect, body ? JSON.parse(body.json) : ''));
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const insert = db.prepare('INSERT OR IGNORE INTO word VALUES (?, ?, ?)');
    for (const [word, count] of counts) insert.run(word, node.id, count / words.length);
  }

  /** A text that does not have its hash is reported, and never given. @param {string} digest @param {string | undefined} text */
  function soundText(digest, text) {
    const message = text === undefined ? undefined : hashFault({ k: 'body', digest, text });
    if (message === undefined) return text;
    problems.set(digest, { code: 'wrong-hash', where: path, message, subject: digest });
    return undefined;
  }

  /** How well each node fits a word, or the beginning of one. @param {string} word @param {boolean} isBeginning */
  function scoresOf(word, isBeginning) {
    const sql = 'SELECT node, sum(score) AS score FROM word WHERE word >= ? AND word <= ? GROUP BY node';
    const rows = all(sql, word, isBeginning ? `${word}\uffff` : word);
    return new Map(rows.map(({ node, score }) => /** @type {const} */ ([String(node), Number(score)])));
  }

  /** @returns {StoreRecord[]} */
  function everything() {
    const bodies = all('SELECT digest, json FROM body').map(({ digest, json }) => ({
      k: 'body',
      digest,
      text: JSON.parse(json),
    }));
    const tables = ['node ORDER BY seq', 'take', 'ref', 'entry', 'other'];
    return /** @type {StoreRecord[]} */ ([
      ...bodies,
      ...tables.flatMap((table) => records(all(`SELECT json FROM ${table}`))),
    ]);
  }

  return {
    writer,
    async append(batch) {
      if (batch.length === 0) return;
      atOnce(() => {
        for (const record of batch)
          if (add(record) && record.k !== 'body')
            run('INSERT INTO change (json) VALUES (?)', JSON.stringify(toChange(record)));
      });
      listen();
    },

    async nodes(ids) {
      const found = byKey(forKeys((marks) => `SELECT id AS key, json FROM node WHERE id IN (${marks})`, ids));
      return ids.map((id) => found.get(id));
    },
    async idsLike(prefix, limit) {
      return all('SELECT id FROM node WHERE id >= ? AND id < ? ORDER BY id LIMIT ?', prefix, `${prefix}~`, limit).map(
        ({ id }) => id,
      );
    },
    async path(id, above = ROOT) {
      const walk = `WITH RECURSIVE up (id, parent, depth, json) AS (
        SELECT id, parent, depth, json FROM node WHERE id = ? AND id <> ?
        UNION ALL SELECT node.id, node.parent, node.depth, node.json FROM node JOIN up ON node.id = up.parent WHERE node.id <> ?)
        SELECT json FROM up ORDER BY depth`;
      return records(all(walk, id, above, above));
    },
    async children(id, page) {
      return toPage(
        records(all('SELECT json FROM node WHERE parent = ? ORDER BY at, id', id)),
        ({ at, id: of }) => [at, of],
        page,
      );
    },
    async childCounts(ids) {
      const counts = new Map(
        forKeys(
          (marks) => `SELECT parent, count(*) AS count FROM node WHERE parent IN (${marks}) GROUP BY parent`,
          ids,
        ).map(({ parent, count }) => [parent, Number(count)]),
      );
      return ids.map((id) => counts.get(id) ?? 0);
    },
    async scan(page = {}) {
      const limit = pageLimit(page);
      const [after = 0] = page.after === undefined ? [] : readCursor(page.after, [0]);
      const rows = all('SELECT seq, json FROM node WHERE seq > ? ORDER BY seq LIMIT ?', after, limit + 1);
      const items = records(rows.slice(0, limit));
      return rows.length > limit ? { items, next: JSON.stringify([Number(rows[limit - 1].seq)]) } : { items };
    },
    async deepest(chain) {
      // A node is there only where all above it are.
      let [low, high] = [-1, chain.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (get('SELECT 1 FROM node WHERE id = ?', chain.at(middle))) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    async byEcho(echoes, lead) {
      for (let index = echoes.length - 1; index >= 0; index--) {
        const best =
          'SELECT json FROM node WHERE echo = ? ORDER BY lead = ? DESC, depth DESC, at DESC, id DESC LIMIT 1';
        const [node] = records(all(best, echoes[index], lead));
        if (node) return { index, node };
      }
      return undefined;
    },

    async bodies(digests) {
      const found = byKey(
        forKeys((marks) => `SELECT digest AS key, json FROM body WHERE digest IN (${marks})`, digests),
      );
      return digests.map((digest) => soundText(digest, found.get(digest)));
    },
    async takes(nodes) {
      const takes = /** @type {TakeRecord[]} */ (
        records(forKeys((marks) => `SELECT json FROM take WHERE node IN (${marks})`, nodes))
      );
      return takes.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    },
    async refs({ on, keys, names, order = 'oldest', ...page }) {
      const [keySet, nameSet] = [keys && new Set(keys), names && new Set(names)];
      const sql = `SELECT place, json FROM ref WHERE thing = ? AND isset = 1 ${keys ? 'AND key IN (SELECT value FROM json_each(?))' : ''}`;
      const found = all(sql, on, ...(keySet ? [JSON.stringify([...keySet])] : [])).map(({ place, json }) => ({
        place,
        record: JSON.parse(json),
      }));
      const wanted = found.filter(({ record }) => nameSet?.has(record.name) ?? true);
      return sorted(
        wanted,
        ({ place, record }) => [record.clock, place],
        order,
        page,
        ({ record }) => record,
      );
    },
    async entry(kind, id) {
      return records(all('SELECT json FROM entry WHERE kind = ? AND id = ?', kind, id))[0];
    },
    async entries(kind, { of, afterOrder, order = 'oldest', ...page } = {}) {
      const owners = of === undefined ? [] : [of].flat();
      const owned = of === undefined ? '' : `AND owner IN (${owners.map(() => '?').join()})`;
      const found = records(all(`SELECT json FROM entry WHERE kind = ? ${owned}`, kind, ...owners));
      const isBehind = (/** @type {EntryRecord} */ entry) =>
        order === 'oldest' ? entry.order > String(afterOrder) : entry.order < String(afterOrder);
      const wanted = afterOrder === undefined ? found : found.filter(isBehind);
      return sorted(
        wanted,
        ({ order: place, id }) => [place, id],
        order,
        page,
        (entry) => entry,
      );
    },

    async search({ words, roles, since = -Infinity, until = Infinity, ...page }) {
      const wanted = words.flatMap(splitWords);
      const scores = wanted.map((word, index) => scoresOf(word, index === wanted.length - 1));
      const [first = new Map(), ...others] = scores;
      const ids = [...first.keys()].filter((id) => others.every((one) => one.has(id)));
      const items = (await this.nodes(ids)).flatMap((node) => {
        const isWanted = node && (roles?.includes(node.facts.role) ?? true) && node.at >= since && node.at < until;
        if (!isWanted) return [];
        return [{ id: node.id, at: node.at, score: scores.reduce((sum, one) => sum + (one.get(node.id) ?? 0), 0) }];
      });
      items.sort((a, b) => b.score - a.score || b.at - a.at || (a.id < b.id ? -1 : 1));
      const hits = toPage(items, ({ score, at, id }) => [-score, -at, id], page);
      return { ...hits, items: hits.items.map(({ id, score }) => ({ id, score })) };
    },

    async changes(after) {
      const seq = lastChange();
      const next = `${epoch()}.${seq}`;
      if (after === undefined) return { items: [], next, reset: false };
      const [, name, digits] = /^(\w+)\.(\d+)$/.exec(after) ?? [];
      if (name !== epoch() || Number(digits) > seq) return { items: [], next, reset: true };
      return {
        items: records(all('SELECT json FROM change WHERE seq > ? ORDER BY seq', Number(digits))),
        next,
        reset: false,
      };
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async isAlive(name) {
      const row = get('SELECT pid FROM writer WHERE name = ?', name);
      return row !== undefined && isRunning(Number(row.pid));
    },

    problems: () => [...problems.values()],
    async check() {
      for (const { digest, json } of all('SELECT digest, json FROM body')) soundText(digest, JSON.parse(json));
      const damaged = all('PRAGMA integrity_check').filter(({ integrity_check: said }) => said !== 'ok');
      return [
        ...problems.values(),
        ...damaged.map(({ integrity_check: said }) => ({
          code: /** @type {const} */ ('damaged-record'),
          where: path,
          message: String(said),
        })),
      ];
    },
    async compact(keep) {
      const records = everything();
      const kept = records.filter(keep);
      atOnce(() => {
        for (const table of ['node', 'body', 'take', 'ref', 'entry', 'other', 'word', 'change', 'epoch'])
          db.exec(`DELETE FROM ${table}`);
        run('INSERT INTO epoch VALUES (?)', randomUUID().slice(0, 8));
        for (const record of kept) add(record);
      });
      db.exec('VACUUM');
      return { kept: kept.length, removed: records.length - kept.length };
    },
    async close() {
      if (!db.open) return;
      clearInterval(timer);
      run('DELETE FROM writer WHERE name = ?', writer);
      db.close();
    },
  };
}

/**
 * A page of a list that is sorted by its places, from either end.
 * @template T, R
 * @param {readonly T[]} items
 * @param {(item: T) => readonly string[]} placeOf
 * @param {'oldest' | 'newest'} order
 * @param {PageRequest} request
 * @param {(item: T) => R} view
 * @returns {Page<R>}
 */
function sorted(items, placeOf, order, request, view) {
  const direction = order === 'oldest' ? 1 : -1;
  const list = [...items].sort((a, b) => direction * compare(placeOf(a), placeOf(b)));
  const page = toPage(list, placeOf, request, direction);
  return { ...page, items: page.items.map(view) };
}

/** @param {readonly string[]} a @param {readonly string[]} b */
function compare(a, b) {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : String(a[at]) < String(b[at]) ? -1 : 1;
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
