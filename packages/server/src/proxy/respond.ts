import type { ServerResponse } from 'node:http';
import { dialect } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { SANDBOX } from './headers.ts';

/** An error of the proxy, written as the provider writes its errors, so that SDKs show the message. */
export function providerError(dialectId: string, status: number, code: string, message: string): string {
  return JSON.stringify({ ...serving(dialect(dialectId)).errorBody({ status, code, message }), skein: { code } });
}

/**
 * Answers with a text. If an answer has already begun, breaks the connection instead. A client that still sends its request
 * reads the answer behind it: its connection stays open until then.
 */
export function answerWith(answer: ServerResponse, status: number, type: string, text: string): void {
  if (answer.headersSent || answer.destroyed) {
    breakOff(answer);
    return;
  }
  const bytes = Buffer.from(text);
  answer.writeHead(status, ['content-type', type, 'content-length', String(bytes.length), ...SANDBOX]);
  if (answer.req.complete) {
    answer.end(bytes);
    return;
  }
  answer.write(bytes);
  answer.req.once('close', () => answer.end()).resume();
}

/** Breaks the connection after the bytes written so far. */
export function breakOff(answer: ServerResponse): void {
  if (answer.socket && !answer.socket.destroyed) answer.socket.write('', () => answer.destroy());
  else answer.destroy();
}

/** Sends a recorded response; if the recorded one was cut off, breaks the connection there. */
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
