// Which statement was the slow one, and how PostgreSQL answers it.

/** @typedef {{ text: string, values: readonly unknown[], ms: number }} Statement */

/**
 * Watches every statement that goes through a pool.
 * @param {any} pool
 */
export function listen(pool) {
  /** @type {{ last?: Statement, longest?: Statement }} */
  let seen = {};
  pool.on('connect', (/** @type {any} */ client) => {
    const query = client.query.bind(client);
    client.query = async (/** @type {any} */ first, /** @type {any} */ values, /** @type {any} */ callback) => {
      const before = performance.now();
      try {
        return await query(first, values, callback);
      } finally {
        const [text, own] = typeof first === 'string' ? [first, values] : [first.text, first.values ?? values];
        const last = { text, values: own ?? [], ms: performance.now() - before };
        seen = { last, longest: seen.longest && seen.longest.ms > last.ms ? seen.longest : last };
      }
    };
  });
  return {
    last: () => seen.last,
    longest: () => seen.longest,
    forget: () => {
      seen = {};
    },
  };
}

/**
 * @param {any} pool
 * @param {Statement | undefined} statement
 */
export async function explain(pool, statement) {
  if (!statement) return 'none';
  const { rows } = await pool.query(`explain (analyze, buffers) ${statement.text}`, statement.values);
  const plan = rows.map((/** @type {Record<string, string>} */ row) => Object.values(row)[0]?.slice(0, 160)).join('\n');
  return `${statement.text.trim().replaceAll(/\s+/g, ' ').slice(0, 600)}\n\n${plan}`;
}
