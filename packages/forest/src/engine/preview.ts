import { type Environment, type Loss, type Message, type ModelChoice, pendingCalls, run } from '@skein/core';
import { diffFromLastRequest, joinTexts, readLineage } from '../forest/index.ts';
import type { Store } from '../store/index.ts';
import { modelIssuer, resolveModel, toRunOptions } from './branch.ts';
import { readHistory } from './history.ts';
import { EngineError, type GenerateOptions, type RequestPreview } from './types.ts';

/**
 * Returns the request that a generation below a node would send. It starts the same run with a `fetch` that catches the
 * request and aborts. No model is called, so no checkpoint is made and no fallback used.
 */
export async function previewRequest(store: Store, node: string, options: GenerateOptions): Promise<RequestPreview> {
  const { observer: _o, compaction: _c, fallback: _f, ...asked } = toRunOptions(options, 0);
  const { thread } = options;
  const history = await readHistory(store, node, { issuer: modelIssuer(asked.model), thread });
  const { path, messages, shift, checkpoints, previous } = history;
  const open = pendingCalls(messages);
  if (open.length > 0)
    throw new EngineError(
      'calls_open',
      node,
      `The request depends on tool results that do not exist yet (${open.map(({ name }) => name).join(', ')}): resume the generation first.`,
    );
  const ending = new AbortController();
  let caught: { readonly url: string; readonly init: RequestInit } | undefined;
  let sent: readonly Message[] = messages;
  const model = withoutKey(asked.model, asked, async (url, init) => {
    caught = { url, init };
    ending.abort();
    throw new Error('A preview is not sent.');
  });
  const running = run({
    ...asked,
    model,
    messages,
    checkpoints,
    ...(previous && { previous: previous.manifest }),
    retry: false,
    signal: ending.signal,
    outgoing: (stored) => {
      sent = joinTexts(stored);
      return sent;
    },
  });
  const { losses } = await running.result;
  if (!caught) throw new Error('The run ended before anything would have been sent.');
  const body = String(caught.init.body);
  const { provider, model: name } = model;
  const lineage = thread === undefined ? undefined : await readLineage(store, thread);
  const parts = await diffFromLastRequest(store, path, { body, dialect: provider.dialect }, lineage);
  return {
    body,
    provider: provider.id,
    model: name,
    dialect: provider.dialect,
    url: withoutCredentials(caught.url),
    headers: withoutValues(caught.init.headers as Record<string, string>, model.extraHeaders ?? asked.extraHeaders),
    losses: losses.map((loss) => located(loss, sent, messages, path, shift)),
    ...(parts && { parts }),
  };
}

type Chosen = Exclude<ModelChoice, string>;

/** The same model with the name of its variable in place of the key. */
function withoutKey(
  model: ModelChoice,
  { env, apiKey }: { readonly env?: Environment | undefined; readonly apiKey?: string | undefined },
  fetch: NonNullable<Chosen['fetch']>,
): Chosen {
  const choice = resolveModel(model);
  const { keyVariables = [], needsKey = true } = choice.provider.connection ?? {};
  const variables = choice.env ?? env ?? {};
  const set = keyVariables.find((name) => variables[name]);
  const isSigned = needsKey || set !== undefined || (choice.apiKey ?? apiKey) !== undefined;
  return { ...choice, fetch, ...(isSigned && { apiKey: `$${set ?? keyVariables[0] ?? 'KEY'}` }) };
}

/** Parameters of a URL that are not secret. */
const OPEN_PARAMETERS: ReadonlySet<string> = new Set(['alt', 'api-version']);
const HIDDEN = '[hidden]';

function withoutCredentials(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  for (const name of [...url.searchParams.keys()]) if (!OPEN_PARAMETERS.has(name)) url.searchParams.set(name, HIDDEN);
  return url.href;
}

/** Hides the values of extra headers, which may be credentials. */
function withoutValues(
  headers: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const given = new Set(Object.keys(extra).map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, given.has(name) ? HIDDEN : value]));
}

/** Adds the node that a loss concerns, where its message is sent as it is stored. */
function located(
  loss: Loss,
  sent: readonly Message[],
  stored: readonly Message[],
  path: readonly { readonly id: string }[],
  shift: number,
): RequestPreview['losses'][number] {
  const message = sent[loss.message];
  const at = message === undefined ? -1 : stored.indexOf(message);
  const node = at < 0 ? undefined : path[at - shift];
  return node ? { ...loss, node: node.id } : loss;
}
