import { client } from '@skein/server/client';
import type { ClientResponse } from 'hono/client';
import { apiBase, base } from './base.ts';

/** The server that served this page. */
export const api = client((globalThis.location?.origin ?? '') + base);

/** What the server would not do, in its own words. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
  }
}

/** The body of an answer that went well; the problem, as an error, of any other. */
export async function ok<R extends ClientResponse<unknown>>(asked: Promise<R>): Promise<GoodBody<R>> {
  const response = await reached(asked);
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as GoodBody<R>;
}

/** The same for answers that are plain text. */
export async function okText(path: string): Promise<string> {
  const response = await reached(fetch(`${apiBase}${path}`));
  if (!response.ok) throw await problemOf(response);
  return response.text();
}

type GoodBody<R> =
  R extends ClientResponse<infer Body, infer _Status, infer _Format>
    ? Exclude<Body, { code: string; detail: string }>
    : never;

async function reached<R>(asked: Promise<R>): Promise<R> {
  try {
    return await asked;
  } catch {
    throw new ApiProblem(0, 'unreachable', 'The server cannot be reached. Is it still running?');
  }
}

/** Also used for what the typed client cannot send, such as files. */
export async function problemOf(response: Pick<Response, 'status' | 'json'>): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  return new ApiProblem(
    response.status,
    body.code ?? 'failed',
    body.detail ?? `The server answered ${response.status}.`,
  );
}

/** What cannot be the id of a node, nor its beginning, is not asked for: the server would answer with a pattern. */
export function asNodeId(text: string): string {
  if (/^[0-9a-f]{4,40}$/.test(text)) return text;
  throw new ApiProblem(404, 'unknown_node', `There is no node ${text} in this forest.`);
}
