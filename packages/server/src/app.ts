import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { about } from './api/about.ts';
import { caching } from './api/caching.ts';
import { cassetteRoutes } from './api/cassettes.ts';
import { forestRoutes } from './api/forest.ts';
import { generations, requests } from './api/generations.ts';
import { glance } from './api/glance.ts';
import { moving } from './api/import-export.ts';
import { libraryRoutes } from './api/library.ts';
import { bookmarks, nodes } from './api/nodes.ts';
import { recordings } from './api/recordings.ts';
import { rerunRoutes } from './api/rerun.ts';
import { apiRouter } from './api/router.ts';
import { sessions } from './api/sessions.ts';
import { sync } from './api/sync.ts';
import { threads } from './api/threads.ts';
import { usageRoutes } from './api/usage.ts';
import { type Access, guard, isForPeople, tokenPage } from './http/access.ts';
import { Problem, problemResponse, toProblem } from './http/problem.ts';
import type { Services } from './services.ts';

const MB = 1024 * 1024;
/** Bytes of a request's body. */
const MAX_BODY = 32 * MB;
/** Bytes of a file that is brought in; it is read as it comes. */
const MAX_IMPORT = 1024 * MB;
const IMPORTS: ReadonlySet<string> = new Set(['/api/v1/import', '/api/v1/import/folder', '/api/v1/sync']);

/** Everything under /api/v1; the client of the web app is made from its type. */
const api = apiRouter()
  .route('/', threads)
  .route('/', sessions)
  .route('/', nodes)
  .route('/', requests)
  .route('/', forestRoutes)
  .route('/', libraryRoutes)
  .route('/', glance)
  .route('/', bookmarks)
  .route('/', generations)
  .route('/', recordings)
  .route('/', caching)
  .route('/', cassetteRoutes)
  .route('/', rerunRoutes)
  .route('/', usageRoutes)
  .route('/', moving)
  .route('/', sync)
  .route('/', about);

/** The routes under `/api/v1` as a type, from which `client` is made. */
export type Api = typeof api;

const TOKEN_PROBLEMS: ReadonlySet<string> = new Set(['token_needed', 'too_many_attempts']);

/**
 * The application without a socket: hand it requests. `pageFolder` has the files of the page; `samples` is the same application on the
 * samples.
 */
export function createApp(
  services: Services,
  access: Access,
  pageFolder?: string,
  samples?: ReturnType<typeof apiRouter>,
) {
  const app = apiRouter();
  const page = pageFolder === undefined ? undefined : createPage(pageFolder);
  app.onError((error, c) => {
    const problem = toProblem(error);
    if (page && TOKEN_PROBLEMS.has(problem.code) && isForPeople(c)) return tokenPage(c, problem);
    if (problem.status >= 500) services.log.error('request-failed', error, { method: c.req.method, path: c.req.path });
    return problemResponse(c, problem);
  });
  app.notFound((c) =>
    problemResponse(c, new Problem('no_such_route', 'There is nothing at this address: see /api/openapi.json.')),
  );
  app.use(async (c, next) => {
    c.set('services', services);
    await next();
    services.metrics.count('skein_requests_total', { method: c.req.method, status: c.res.status });
  });
  app.use(securityHeaders);
  app.use(guard(access));
  const small = bodyLimit({ maxSize: MAX_BODY, onError: () => tooLarge(MAX_BODY) });
  const large = bodyLimit({ maxSize: MAX_IMPORT, onError: () => tooLarge(MAX_IMPORT) });
  app.use('/api/*', (c, next) => (IMPORTS.has(c.req.path) ? large(c, next) : small(c, next)));
  app.all('/proxy/*', () => {
    throw new Problem('needs_a_socket', 'The proxy works only where the server listens, or as a Node handler.');
  });
  app.all('/gateway/*', () => {
    throw new Problem('needs_a_socket', 'The gateway works only where the server listens, or as a Node handler.');
  });
  app.get('/metrics', (c) => c.text(services.metrics.text()));
  app.route('/api/v1', api);
  app.doc31('/api/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Skein', version: services.version, description: 'Conversations with models, kept whole.' },
  });
  if (samples) app.mount('/samples', (request, env) => samples.fetch(request, env));
  if (page) app.get('*', async (c) => (await page(c)) ?? c.notFound());
  return app;
}

function tooLarge(limit: number): never {
  throw new Problem('too_large', `A body may have ${limit / MB} MB.`);
}

/** The page runs only its own scripts and talks only to this server; what models wrote can do nothing in it. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  // Previews of what a model wrote; a frame can go to no other host, whatever its content asks for.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The document in which HTML of a model may run its scripts when the reader asks for it: a sandbox without an origin, so without
 * cookies, storage and the page's data, and without any request.
 */
const PREVIEW_PATH = '/preview.html';
const PREVIEW_CSP = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'media-src data: blob:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  // An answer may have a stricter one of its own.
  if (!c.res.headers.has('content-security-policy'))
    c.header('content-security-policy', c.req.path === PREVIEW_PATH ? PREVIEW_CSP : CSP);
  c.header('x-content-type-options', 'nosniff');
  // Nothing to others; without any, browsers would not say that a form comes from this server.
  c.header('referrer-policy', 'same-origin');
  c.header('cross-origin-opener-policy', 'same-origin');
  c.header('cross-origin-resource-policy', 'same-origin');
};

/** What is beside a file when it was compressed before, best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Addresses that are not the page's. */
const NOT_OURS = /^\/(api|proxy|gateway|metrics)(\/|$)/;

/**
 * The files of the page. Addresses without an ending belong to the page itself, which finds its way by them: they all
 * get `index.html`. Undefined when there is nothing.
 */
function createPage(folder: string): (c: Context) => Promise<Response | undefined> {
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
