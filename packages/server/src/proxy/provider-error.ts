import type { ServerResponse } from 'node:http';
import { dialect } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { SANDBOX } from './headers.ts';

/** A failure of the proxy in the form of the provider's own errors, so that SDKs show its text. */
export function providerError(spoken: string, status: number, code: string, message: string): string {
  return JSON.stringify({ ...serving(dialect(spoken)).errorBody({ status, code, message }), skein: { code } });
}

/** Answers with a text, if nothing was answered yet; otherwise the client sees the connection break. */
export function answerWith(answer: ServerResponse, status: number, type: string, text: string): void {
  if (answer.headersSent || answer.destroyed) {
    breakOff(answer);
    return;
  }
  const bytes = Buffer.from(text);
  answer.writeHead(status, ['content-type', type, 'content-length', String(bytes.length), ...SANDBOX]);
  answer.end(bytes);
}

/** Breaks the connection behind what was written: those bytes came before the break. */
export function breakOff(answer: ServerResponse): void {
  if (answer.socket && !answer.socket.destroyed) answer.socket.write('', () => answer.destroy());
  else answer.destroy();
}
