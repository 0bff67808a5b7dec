import type { IncomingMessage } from 'node:http';
import { isSkeinError } from '@skein/core';
import { Problem } from '../http/problem.ts';
import { decodeWhole } from './decode.ts';
import { MAX_RECORDED_REQUEST } from './recording-tap.ts';

/** The body of a client's request, as it came. */
export async function readBody(client: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const bytes of client as AsyncIterable<Buffer>) {
    size += bytes.length;
    if (size > MAX_RECORDED_REQUEST) throw new Problem('too_large', 'The body is longer than 64 MB.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** The text of a body; undefined if it is not what its encoding says. */
export function decodeBody(encoding: string | undefined, bytes: Uint8Array): string | undefined {
  try {
    return Buffer.from(decodeWhole(encoding, bytes, MAX_RECORDED_REQUEST)).toString();
  } catch (error) {
    if (isSkeinError(error, 'undecodable')) return undefined;
    throw error;
  }
}
