import { hc } from 'hono/client';
import type { Api } from './app.ts';

/**
 * A typed client, made from the routes: `client(url).threads.$get()`. Runs in browsers too.
 *
 * @example
 * const api = client('http://127.0.0.1:4141');
 * const { items } = await (await api.threads.$get({ query: {} })).json();
 */
export function client(baseUrl: string, options?: Parameters<typeof hc>[1]) {
  return hc<Api>(`${baseUrl.replace(/\/$/, '')}/api/v1`, options);
}

/** What the API sends, inferred from the schemas that it is described by. */
export type { Block } from './api/schemas/blocks.ts';
export type { GenerationEvent, Loss, Notice } from './api/schemas/generation.ts';
