// Where a page of the repository is in the site, and how its links look there.
import { posix } from 'node:path';

/**
 * The place of a Markdown file in the site; undefined for files that are not pages.
 * @param {string} path from the root of the repository
 * @returns {string | undefined}
 */
export function placePage(path) {
  if (path === 'README.md') return 'index.md';
  if (path === 'docs/README.md') return 'contents.md';
  if (path === 'CHANGELOG.md' || path === 'CONTRIBUTING.md') return path.toLowerCase();
  const [, name] = /^packages\/([^/]+)(?:\/README\.md)?$/.exec(path) ?? [];
  if (name !== undefined) return `packages/${name}.md`;
  return path.startsWith('docs/') && path.endsWith('.md') ? path.slice('docs/'.length) : undefined;
}

/**
 * A page with links that fit its place in the site. A link to a file of the repository that is no page becomes plain text.
 * @param {string} path from the root of the repository
 * @param {string} text
 */
export function stagePage(path, text) {
  const own = placePage(path) ?? path;
  /** @param {string} link */
  const resolve = (link) => {
    const [file = '', anchor] = link.split('#');
    const target = posix.join(posix.dirname(path), file);
    const place = target.startsWith('docs/pictures/') ? target.slice('docs/'.length) : placePage(target);
    if (place === undefined) return undefined;
    const way = posix.relative(posix.dirname(own), place);
    return `${way.startsWith('.') ? way : `./${way}`}${anchor === undefined ? '' : `#${anchor}`}`;
  };
  return outsideCode(text, (part) =>
    part
      .replace(/\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)/g, (whole, label, link) => {
        if (/^[a-z]+:/.test(link) || link.startsWith('#')) return whole;
        const resolved = resolve(link);
        return resolved === undefined ? label : `[${label}](${resolved})`;
      })
      .replace(/(<img src=")([^"]+)"/g, (_, before, link) => `${before}${resolve(link) ?? link}"`),
  );
}

/**
 * Changes a text except its fenced code.
 * @param {string} text
 * @param {(part: string) => string} change
 */
function outsideCode(text, change) {
  return text
    .split(/(^```.*?^```$)/ms)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}
