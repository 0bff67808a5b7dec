import type { IncomingMessage } from 'node:http';
import { isSkeinError } from '@skein/core';
import { Problem } from '../http/problem.ts';
import { decodeWhole } from './decode.ts';
import { MAX_RECORDED_REQUEST } from './recording-tap.ts';

/** The body of a client's request, as it came. The rest of one that is too long is read and not kept, so that the client can read why. */
export function readBody(client: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const take = (bytes: Buffer) => {
      size += bytes.length;
      chunks.push(bytes);
      if (size <= MAX_RECORDED_REQUEST) return;
      chunks = [];
      client.off('data', take).resume();
      reject(new Problem('too_large', 'The body is longer than 64 MB.'));
    };
    client.on('data', take);
    client.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    client.once('error', reject);
  });
}

/** The text of a body; undefined if it is not what its encoding says. */
export function decodeBody(encoding: string | undefined, bytes: Uint8Array): string | undefined {
  try {
    const { buffer, byteOffset, length } = decodeWhole(encoding, bytes, MAX_RECORDED_REQUEST);
    return Buffer.from(buffer, byteOffset, length).toString();
  } catch (error) {
    if (isSkeinError(error, 'undecodable')) return undefined;
    throw error;
  }
}
