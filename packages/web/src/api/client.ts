import { SkeinError, type SkeinErrorCode } from '@skein/core';
import { client } from '@skein/server/client';
import type { ClientResponse } from 'hono/client';
import { apiBase, base } from './base.ts';

/** The typed client of the server that served this page. Unit tests load it outside a browser, without a location. */
export const api = client((globalThis.location?.origin ?? '') + base);

/** The server refused a request, or did not answer: `status` is 0 and `code` is `connection` then. */
export class ApiProblem extends SkeinError {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: SkeinErrorCode;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    // A newer server may send a code that this page does not know. It equals none of those that the page asks for.
    this.code = code as SkeinErrorCode;
  }
}

/** Whether the server answered that there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404;
}

/** Whether the server refused a request in a way that sending it again does not change. */
export function isRefused(error: unknown): boolean {
  return error instanceof ApiProblem && error.status >= 400 && error.status < 500;
}

/** The body of a successful response; throws the problem of any other. */
export async function unwrap<R extends ClientResponse<unknown>>(sent: Promise<R>): Promise<SuccessBody<R>> {
  const response = await reach(sent);
  if (!response.ok) throw await readProblem(response);
  return (await response.json()) as SuccessBody<R>;
}

/** Fetches a path of the API that answers with plain text. */
export async function fetchText(path: string): Promise<string> {
  const response = await reach(fetch(`${apiBase}${path}`));
  if (!response.ok) throw await readProblem(response);
  return response.text();
}

type SuccessBody<R> =
  R extends ClientResponse<infer Body, infer _Status, infer _Format>
    ? Exclude<Body, { code: string; detail: string }>
    : never;

/** Turns a failed connection into a problem that says what to do. */
export async function reach<R>(sent: Promise<R>): Promise<R> {
  try {
    return await sent;
  } catch {
    throw new ApiProblem(0, 'connection', 'The server cannot be reached. Is it still running?');
  }
}

/** Reads the problem from a response, also for requests that the typed client cannot send, such as files. */
export async function readProblem(response: Pick<Response, 'status' | 'json'>): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  return new ApiProblem(
    response.status,
    body.code ?? 'failed',
    body.detail ?? `The server answered ${response.status}.`,
  );
}

/** Rejects a text that cannot be the id of a node or its beginning: the server's answer would only cite a pattern. */
export function checkNodeId(text: string): string {
  if (/^[0-9a-f]{4,40}$/.test(text)) return text;
  throw new ApiProblem(404, 'unknown_node', `There is no node ${text} in this forest.`);
}
