/** Writes what the drift watch saw as text, and keeps the table of docs/drift.md that says which release was looked at last. */

/** @typedef {import('./watch.mjs').Drift} Drift */

/** @param {string | undefined} found */
const place = (found) => (found ? `  (${found})` : '');
/** @param {string} text */
const shorten = (text, length = 160) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/**
 * @param {string} api
 * @param {{ readonly package: string, readonly before: string, readonly after: string }} releases
 * @param {Drift} drift
 * @param {{ readonly names?: boolean }} [options]
 * @returns {string}
 */
export function describeDrift(api, releases, { samples, refused, unknown, changes }, { names = false } = {}) {
  const lines = [
    `${api}: ${releases.package} ${releases.before} → ${releases.after}, ${samples} requests judged`,
    ...changes.map(({ kind, part, type, member, text, place: found }) => {
      const name = member === undefined ? type : `${type}.${member}`;
      return `  ${kind} in ${part}: ${name}${text === '' ? '' : `: ${shorten(text)}`}${place(found)}`;
    }),
    ...refused.map(({ name, message, place: found }) => `  refused: ${name}: ${shorten(message)}${place(found)}`),
  ];
  if (names) lines.push(...unknown.map(({ part, name }) => `  kept without a name in ${part}: ${name}`));
  else if (unknown.length > 0)
    lines.push(`  ${unknown.length} types of the answers are kept without a name (--names lists them)`);
  if (changes.length === 0 && refused.length === 0) lines.push('  nothing new, nothing refused');
  return lines.join('\n');
}

const ROW = /^\| `(?<name>[^`]+)` \| (?<version>\S+) \| (?<date>\S+) \|$/gm;

/**
 * The releases in the table of docs/drift.md, by package.
 *
 * @param {string} page
 * @returns {Map<string, string>}
 */
export const readLooked = (page) =>
  new Map([...page.matchAll(ROW)].map(({ groups = {} }) => [groups.name ?? '', groups.version ?? '']));

/**
 * The page with the releases of this look.
 *
 * @param {string} page
 * @param {ReadonlyMap<string, string>} releases
 * @param {string} date `2026-11-17`
 */
export const writeLooked = (page, releases, date) =>
  page.replaceAll(ROW, (row, name) => (releases.has(name) ? `| \`${name}\` | ${releases.get(name)} | ${date} |` : row));
