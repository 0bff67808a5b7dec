// JSON with positions, so that spellings can be compared. Shares no code with Skein.

/**
 * @typedef {object} Value
 * @property {number} start
 * @property {number} end
 * @property {readonly (readonly [name: string, value: Value])[]} [members] of an object
 * @property {readonly Value[]} [items] of an array
 */

/**
 * @param {string} text
 * @returns {Value}
 */
export function readJson(text) {
  const tokens = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|([^\s{}[\],:"]+))/gy;
  const next = () => {
    const match = tokens.exec(text);
    if (!match) throw new Error(`no JSON at ${tokens.lastIndex}`);
    const token = match[1] ?? match[2] ?? match[3] ?? '';
    return { token, start: tokens.lastIndex - token.length, end: tokens.lastIndex };
  };
  /** @returns {Value} */
  const value = ({ token, start, end } = next()) => {
    if (token === '[') {
      const items = [];
      for (let one = next(); one.token !== ']'; one = next()) items.push(value(one.token === ',' ? next() : one));
      return { start, end: tokens.lastIndex, items };
    }
    if (token !== '{') return { start, end };
    /** @type {[string, Value][]} */
    const members = [];
    for (let one = next(); one.token !== '}'; one = next()) {
      const name = one.token === ',' ? next() : one;
      next();
      members.push([JSON.parse(name.token), value()]);
    }
    return { start, end: tokens.lastIndex, members };
  };
  return value();
}

/**
 * @param {Value | undefined} value
 * @param {string} name
 */
export function memberOf(value, name) {
  return value?.members?.find(([own]) => own === name)?.[1];
}

/** @typedef {{ path: string, spelling: string }} Leaf */

/**
 * What an element says: every string and number and truth value with the names above it. What is empty says nothing.
 * @param {string} text
 * @param {Value} [value]
 * @returns {Leaf[]}
 */
export function leavesOf(text, value = readJson(text), path = '') {
  if (value.items) return value.items.flatMap((item) => leavesOf(text, item, `${path}[]`));
  if (value.members) return value.members.flatMap(([name, member]) => leavesOf(text, member, `${path}.${name}`));
  const spelling = text.slice(value.start, value.end);
  return spelling === 'null' || spelling === '""' ? [] : [{ path, spelling }];
}

/**
 * The value, however it is spelt; integers are not rounded.
 * @param {string} spelling
 */
export function meaning(spelling) {
  if (/^-?\d{16,}$/.test(spelling)) return spelling;
  return JSON.stringify(JSON.parse(spelling));
}
