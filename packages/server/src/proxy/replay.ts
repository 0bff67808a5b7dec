import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../http/problem.ts';
import { SANDBOX } from './headers.ts';
import { breakOff } from './provider-error.ts';
import { MAX_RECORDED_REQUEST } from './take-down.ts';

/** The whole body of a request, to look for its recording. */
export async function readBody(client: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const bytes of client as AsyncIterable<Buffer>) {
    size += bytes.length;
    if (size > MAX_RECORDED_REQUEST) throw new Problem(413, 'too_large', 'The body is too long to be replayed.');
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

/** Sends a recorded answer; where it was cut, the connection breaks. */
export async function sendResponse(answer: ServerResponse, response: Response): Promise<void> {
  const headers = [...response.headers].flat();
  answer.sendDate = false;
  answer.writeHead(response.status, [...headers, ...SANDBOX]);
  answer.flushHeaders();
  const reader = response.body?.getReader();
  const isGone = new Promise<void>((resolve) => answer.once('close', resolve));
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done || answer.destroyed) break;
      if (!answer.write(value)) await Promise.race([new Promise((drained) => answer.once('drain', drained)), isGone]);
    }
    answer.end();
  } catch {
    breakOff(answer);
  } finally {
    void reader?.cancel().catch(() => undefined);
  }
}

/** Whether a request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
