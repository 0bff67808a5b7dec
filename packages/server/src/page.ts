import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { Context } from 'hono';

/** What is beside a file when it was compressed before, best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Addresses that are not the page's. */
const NOT_OURS = /^\/(api|proxy|metrics)(\/|$)/;

/**
 * The files of the page. Addresses without an ending belong to the page itself, which finds its way by them: they all
 * get `index.html`. Undefined when there is nothing.
 */
export function createPage(folder: string): (c: Context) => Promise<Response | undefined> {
  return async (c) => {
    const { pathname } = new URL(c.req.url);
    if (NOT_OURS.test(pathname)) return undefined;
    const names = namesIn(pathname);
    if (!names) return undefined;
    const isRoute = extname(names.at(-1) ?? '') === '';
    const wanted = isRoute ? ['index.html'] : names;
    // Names of assets have a hash of their content: another content is another name.
    const caching = wanted[0] === 'assets' ? 'private, max-age=31536000, immutable' : 'no-cache';
    return answer(c, folder, wanted, caching);
  };
}

/** The path in plain names; undefined for one that could lead elsewhere, or to what is hidden. */
function namesIn(pathname: string): readonly string[] | undefined {
  const names = pathname.split('/').filter((name) => name !== '');
  try {
    const decoded = names.map(decodeURIComponent);
    return decoded.every((name) => !name.startsWith('.') && !/[/\\\0]/.test(name)) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

async function answer(
  c: Context,
  folder: string,
  names: readonly string[],
  caching: string,
): Promise<Response | undefined> {
  const plain = join(folder, ...names);
  const accepted = (c.req.header('accept-encoding') ?? '').split(',').map((text) => text.trim().split(';')[0]);
  const forms = [...ENCODINGS.filter(([encoding]) => accepted.includes(encoding)), [undefined, ''] as const];
  for (const [encoding, ending] of forms) {
    const tag = await readTag(folder, plain + ending);
    if (tag === undefined) continue;
    const headers: Record<string, string> = {
      'content-type': contentType(plain),
      'cache-control': caching,
      vary: 'accept-encoding',
      etag: tag,
      ...(encoding && { 'content-encoding': encoding }),
    };
    if (c.req.header('if-none-match') === tag) return c.body(null, 304, headers);
    return c.body(new Uint8Array(await readFile(plain + ending)), 200, headers);
  }
  return undefined;
}

/** Names what a file holds now; undefined for what is no file of the folder, such as a link that leads out of it. */
async function readTag(folder: string, place: string): Promise<string | undefined> {
  try {
    const [top, real] = await Promise.all([realpath(folder), realpath(place)]);
    const facts = await stat(real);
    if (!real.startsWith(top + sep) || !facts.isFile()) return undefined;
    return `W/"${facts.size.toString(36)}-${Math.round(facts.mtimeMs).toString(36)}"`;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(code)) return undefined;
    throw error;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/** By the ending of a file's name. */
function contentType(name: string): string {
  return TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream';
}
