/** Finds the API and the operation of a request. One origin serves all APIs: their paths do not collide. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Protocol } from '../protocol.ts';

interface Deployment {
  readonly protocol: Protocol;
  /** The path in front of the API's own path; each one has its own memory. `''` is the default deployment. */
  readonly issuer: string;
}

/** How a stream is written: server-sent events, one array, frames of AWS, or frames with events of another API inside. */
export type StreamForm = 'sse' | 'array' | 'frames' | 'chunks';

/** A cloud that serves another vendor's API: its errors and its keys are its own. */
export type Cloud = 'aws' | 'google';

export type Route =
  | (Deployment & {
      readonly kind: 'generate';
      readonly model?: string;
      readonly stream?: StreamForm;
      readonly cloud?: Cloud;
    })
  | (Deployment & { readonly kind: 'count-tokens'; readonly model?: string })
  | (Deployment & { readonly kind: 'models'; readonly id?: string })
  | (Deployment & { readonly kind: 'response'; readonly id: string; readonly items: boolean })
  | (Deployment & { readonly kind: 'conversation'; readonly id?: string })
  | (Deployment & {
      readonly kind: 'interaction';
      readonly id: string;
      readonly stream: boolean;
      /** The last event that the client has of the stream. */
      readonly after: string | undefined;
      /** Whether the steps of the client are wanted, too. */
      readonly input: boolean;
    })
  | (Deployment & { readonly kind: 'wrong-method' })
  | (Deployment & { readonly kind: 'unknown' });

type Match = Readonly<Record<string, string | undefined>>;

interface Row {
  readonly methods: readonly string[];
  readonly path: RegExp;
  readonly route: (deployment: Deployment, match: Match, url: URL) => Route;
  /** Absent where two APIs share the path. */
  readonly protocol?: Protocol;
}

const ISSUER = '^(?<issuer>(?:/[^/]+)*?)';
const VERSION = '/v\\d+(?:beta|alpha)?\\d*';
// The version may be missing (DeepSeek) or be another one (`/api/paas/v4`).
const BEFORE = `${ISSUER}(?:${VERSION})?`;
const GOOGLE = `${BEFORE}(?:/projects/[^/]+/locations/[^/]+)?(?:/publishers/google)?/models`;
const VERTEX = `${BEFORE}/projects/[^/]+/locations/[^/]+/publishers`;
const INTERACTIONS = `${BEFORE}(?:/projects/[^/]+/locations/[^/]+)?/interactions`;
// `messages` is a common word, so it must follow a version.
const VERSIONED = `${ISSUER}${VERSION}`;
const path = (before: string, tail: string) => new RegExp(`${before}${tail}/?$`);

const rows: readonly Row[] = [
  {
    methods: ['POST'],
    path: path(BEFORE, '/chat/completions'),
    protocol: 'openai-chat',
    route: (deployment) => ({ ...deployment, kind: 'generate' }),
  },
  {
    methods: ['POST'],
    path: path(BEFORE, '/responses'),
    protocol: 'openai-responses',
    route: (deployment) => ({ ...deployment, kind: 'generate' }),
  },
  {
    methods: ['GET', 'DELETE'],
    path: path(BEFORE, '/responses/(?<id>resp_\\w+)(?<items>/input_items)?'),
    protocol: 'openai-responses',
    route: (deployment, { id = '', items }) => ({ ...deployment, kind: 'response', id, items: items !== undefined }),
  },
  {
    methods: ['GET', 'POST', 'DELETE'],
    path: path(BEFORE, '/conversations(?:/(?<id>conv_\\w+))?'),
    protocol: 'openai-responses',
    route: (deployment, { id }) => ({ ...deployment, kind: 'conversation', ...(id !== undefined && { id }) }),
  },
  {
    methods: ['POST'],
    path: path(INTERACTIONS, ''),
    protocol: 'google-interactions',
    route: (deployment) => ({ ...deployment, kind: 'generate' }),
  },
  {
    methods: ['GET', 'DELETE'],
    path: path(INTERACTIONS, '/(?<id>[\\w-]+)'),
    protocol: 'google-interactions',
    route: interactionRoute,
  },
  {
    methods: ['POST'],
    path: path(INTERACTIONS, '/(?<id>[\\w-]+)/cancel'),
    protocol: 'google-interactions',
    route: interactionRoute,
  },
  {
    methods: ['POST'],
    path: path(VERSIONED, '/messages'),
    protocol: 'anthropic-messages',
    route: (deployment) => ({ ...deployment, kind: 'generate' }),
  },
  {
    methods: ['POST'],
    path: path(VERSIONED, '/messages/count_tokens'),
    protocol: 'anthropic-messages',
    route: (deployment) => ({ ...deployment, kind: 'count-tokens' }),
  },
  {
    // Bedrock has the model in the path, and version and betas in the body.
    methods: ['POST'],
    path: path(BEFORE, '/model/(?<model>[^/]+)/invoke(?<stream>-with-response-stream)?'),
    protocol: 'anthropic-messages',
    route: (deployment, { model = '', stream }) => ({
      ...deployment,
      kind: 'generate',
      model,
      cloud: 'aws',
      ...(stream && { stream: 'chunks' }),
    }),
  },
  {
    methods: ['POST'],
    path: path(BEFORE, '/model/(?<model>[^/]+)/converse(?<stream>-stream)?'),
    protocol: 'bedrock-converse',
    route: (deployment, { model = '', stream }) => ({
      ...deployment,
      kind: 'generate',
      model,
      cloud: 'aws',
      ...(stream && { stream: 'frames' }),
    }),
  },
  {
    // Vertex has the model in the path, and the version in the body.
    methods: ['POST'],
    path: path(VERTEX, '/anthropic/models/(?<model>[^/:]+):(?:r|streamR)awPredict'),
    protocol: 'anthropic-messages',
    route: (deployment, { model = '' }) => ({ ...deployment, kind: 'generate', model, cloud: 'google' }),
  },
  {
    methods: ['POST'],
    path: path(`${ISSUER}/v2`, '/chat'),
    protocol: 'cohere-chat',
    route: (deployment) => ({ ...deployment, kind: 'generate' }),
  },
  {
    methods: ['POST'],
    path: path(GOOGLE, '/(?<model>[^/:]+):(?<verb>generateContent|streamGenerateContent|countTokens)'),
    protocol: 'google-generatecontent',
    route: (deployment, { model = '', verb }, url) => {
      if (verb === 'countTokens') return { ...deployment, kind: 'count-tokens', model };
      const stream = url.searchParams.get('alt') === 'sse' ? 'sse' : 'array';
      return { ...deployment, kind: 'generate', model, ...(verb === 'streamGenerateContent' && { stream }) };
    },
  },
  {
    methods: ['GET'],
    path: path(BEFORE, '/models(?:/(?<id>[^/:]+))?'),
    route: (deployment, { id }) => ({ ...deployment, kind: 'models', ...(id !== undefined && { id }) }),
  },
];

function interactionRoute(deployment: Deployment, { id = '' }: Match, { searchParams }: URL): Route {
  return {
    ...{ ...deployment, kind: 'interaction', id },
    stream: searchParams.get('stream') === 'true',
    after: searchParams.get('last_event_id') ?? undefined,
    input: searchParams.get('include_input') === 'true',
  };
}

/** The API of a path that several have, by the headers with which the client authenticates. */
function guess(url: URL, headers: IncomingHttpHeaders): Protocol {
  if (headers['x-goog-api-key'] !== undefined || /\/v1(beta|alpha)/.test(url.pathname)) return 'google-generatecontent';
  return headers['anthropic-version'] === undefined ? 'openai-chat' : 'anthropic-messages';
}

export function findRoute(method: string, url: URL, headers: IncomingHttpHeaders): Route {
  const found = rows.map((row) => ({ row, match: row.path.exec(url.pathname) })).filter(({ match }) => match !== null);
  const { row, match } = found.find(({ row: { methods } }) => methods.includes(method)) ?? found[0] ?? {};
  const guessed = guess(url, headers);
  if (!row || !match) return { kind: 'unknown', protocol: guessed, issuer: '' };
  const groups: Match = match.groups ?? {};
  const decoded = Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, text && decode(text)]));
  const deployment = { protocol: row.protocol ?? guessed, issuer: (groups.issuer ?? '').replace(/^\//, '') };
  return row.methods.includes(method) ? row.route(deployment, decoded, url) : { ...deployment, kind: 'wrong-method' };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
