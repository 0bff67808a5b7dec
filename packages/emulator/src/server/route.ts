/** Which API a request is for. One origin serves all four: their real paths do not collide. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Protocol } from '../protocol.ts';

interface Place {
  readonly protocol: Protocol;
  /** The path before the API's own: another deployment, with a memory of its own. `''` is the home one. */
  readonly issuer: string;
}

export type Route =
  | (Place & { readonly kind: 'generate'; readonly model?: string; readonly stream?: 'sse' | 'array' })
  | (Place & { readonly kind: 'count-tokens'; readonly model?: string })
  | (Place & { readonly kind: 'models'; readonly id?: string })
  | (Place & { readonly kind: 'response'; readonly id: string; readonly items: boolean })
  | (Place & { readonly kind: 'conversation'; readonly id?: string })
  | (Place & { readonly kind: 'wrong-method' })
  | (Place & { readonly kind: 'unknown' });

type Match = Readonly<Record<string, string | undefined>>;

interface Row {
  readonly methods: readonly string[];
  readonly path: RegExp;
  readonly route: (place: Place, match: Match, url: URL) => Route;
  /** Absent where two APIs share the path. */
  readonly protocol?: Protocol;
}

const ISSUER = '^(?<issuer>(?:/[^/]+)*?)';
const VERSION = '/v\\d+(?:beta|alpha)?\\d*';
// The version may be missing (DeepSeek) or be another one (`/api/paas/v4`).
const BEFORE = `${ISSUER}(?:${VERSION})?`;
const GOOGLE = `${BEFORE}(?:/projects/[^/]+/locations/[^/]+)?(?:/publishers/google)?/models`;
// `messages` is a common word: it is only taken behind a version.
const VERSIONED = `${ISSUER}${VERSION}`;
const path = (before: string, tail: string) => new RegExp(`${before}${tail}/?$`);

const rows: readonly Row[] = [
  {
    methods: ['POST'],
    path: path(BEFORE, '/chat/completions'),
    protocol: 'openai-chat',
    route: (place) => ({ ...place, kind: 'generate' }),
  },
  {
    methods: ['POST'],
    path: path(BEFORE, '/responses'),
    protocol: 'openai-responses',
    route: (place) => ({ ...place, kind: 'generate' }),
  },
  {
    methods: ['GET', 'DELETE'],
    path: path(BEFORE, '/responses/(?<id>resp_\\w+)(?<items>/input_items)?'),
    protocol: 'openai-responses',
    route: (place, { id = '', items }) => ({ ...place, kind: 'response', id, items: items !== undefined }),
  },
  {
    methods: ['GET', 'POST', 'DELETE'],
    path: path(BEFORE, '/conversations(?:/(?<id>conv_\\w+))?'),
    protocol: 'openai-responses',
    route: (place, { id }) => ({ ...place, kind: 'conversation', ...(id !== undefined && { id }) }),
  },
  {
    methods: ['POST'],
    path: path(VERSIONED, '/messages'),
    protocol: 'anthropic-messages',
    route: (place) => ({ ...place, kind: 'generate' }),
  },
  {
    methods: ['POST'],
    path: path(VERSIONED, '/messages/count_tokens'),
    protocol: 'anthropic-messages',
    route: (place) => ({ ...place, kind: 'count-tokens' }),
  },
  {
    // Bedrock's form: the model in the path, version and betas in the body.
    methods: ['POST'],
    path: path(BEFORE, '/model/(?<model>[^/]+)/invoke'),
    protocol: 'anthropic-messages',
    route: (place, { model = '' }) => ({ ...place, kind: 'generate', model }),
  },
  {
    methods: ['POST'],
    path: path(GOOGLE, '/(?<model>[^/:]+):(?<verb>generateContent|streamGenerateContent|countTokens)'),
    protocol: 'google-generatecontent',
    route: (place, { model = '', verb }, url) => {
      if (verb === 'countTokens') return { ...place, kind: 'count-tokens', model };
      const stream = url.searchParams.get('alt') === 'sse' ? 'sse' : 'array';
      return { ...place, kind: 'generate', model, ...(verb === 'streamGenerateContent' && { stream }) };
    },
  },
  {
    methods: ['GET'],
    path: path(BEFORE, '/models(?:/(?<id>[^/:]+))?'),
    route: (place, { id }) => ({ ...place, kind: 'models', ...(id !== undefined && { id }) }),
  },
];

/** Paths that say nothing are told apart by how the client signs in. */
function guess(url: URL, headers: IncomingHttpHeaders): Protocol {
  if (headers['x-goog-api-key'] !== undefined || /\/v1(beta|alpha)/.test(url.pathname)) return 'google-generatecontent';
  return headers['anthropic-version'] === undefined ? 'openai-chat' : 'anthropic-messages';
}

export function routeOf(method: string, url: URL, headers: IncomingHttpHeaders): Route {
  const found = rows.map((row) => ({ row, match: row.path.exec(url.pathname) })).filter(({ match }) => match !== null);
  const { row, match } = found.find(({ row: { methods } }) => methods.includes(method)) ?? found[0] ?? {};
  const guessed = guess(url, headers);
  if (!row || !match) return { kind: 'unknown', protocol: guessed, issuer: '' };
  const groups: Match = match.groups ?? {};
  const decoded = Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, text && decode(text)]));
  const place = { protocol: row.protocol ?? guessed, issuer: (groups.issuer ?? '').replace(/^\//, '') };
  return row.methods.includes(method) ? row.route(place, decoded, url) : { ...place, kind: 'wrong-method' };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
