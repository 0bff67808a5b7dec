/** Puts an answer on the wire, with everything that was scripted to go wrong there. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Transport } from '../reply/transport.ts';
import type { Headers } from './access.ts';
import type { Served } from './log.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Events of a stream, or a body in one piece. */
  readonly chunks: readonly Buffer[];
  readonly transport: Transport;
}

export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** What comes before the break, if there is one. */
function partBefore(chunks: readonly Buffer[], { break: fault }: Transport): readonly Buffer[] {
  if (fault === undefined) return chunks;
  if (typeof fault.after === 'string') return [];
  if ('events' in fault.after) return chunks.slice(0, fault.after.events);
  const parts: Buffer[] = [];
  let left = fault.after.bytes;
  for (const chunk of chunks) {
    if (left > 0) parts.push(chunk.subarray(0, left));
    left -= chunk.length;
  }
  return parts;
}

function recut(chunks: readonly Buffer[], size: number | undefined): readonly Buffer[] {
  if (size === undefined) return chunks;
  const all = Buffer.concat(chunks);
  const parts: Buffer[] = [];
  for (let start = 0; start < all.length; start += Math.max(1, size)) {
    parts.push(all.subarray(start, start + Math.max(1, size)));
  }
  return parts;
}

/** Resolves when the bytes are on their way, so that a cut behind them does not swallow them. */
const write = (response: ServerResponse, chunk: Buffer): Promise<void> =>
  new Promise((resolve) => {
    response.write(chunk, () => resolve());
  });

async function breakOff(response: ServerResponse, how: 'cut' | 'reset' | 'hang' | 'end', signal: AbortSignal) {
  if (how === 'end') response.end();
  else if (how === 'cut') response.socket?.destroy();
  else if (how === 'reset') response.socket?.resetAndDestroy();
  else if (!signal.aborted) await once(signal, 'abort');
}

export async function send(
  response: ServerResponse,
  answer: Answer,
  sleep: Sleep,
  signal: AbortSignal,
): Promise<Served> {
  const { status, headers, transport } = answer;
  const { break: fault, delay = 0, chunkDelay = 0, chunkBytes } = transport;
  const sent: Buffer[] = [];
  const served = (ended: Served['ended']): Served => ({ status, headers, body: Buffer.concat(sent), ended });
  const pause = async (milliseconds: number) => {
    if (milliseconds > 0) await sleep(milliseconds, signal).catch(() => undefined);
  };
  await pause(delay);
  if (signal.aborted) return served('left');
  if (fault?.after === 'request') {
    await breakOff(response, fault.how, signal);
    return served(fault.how);
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const [index, chunk] of recut(partBefore(answer.chunks, transport), chunkBytes).entries()) {
    if (index > 0) await pause(chunkDelay);
    if (signal.aborted) return served('left');
    await write(response, chunk);
    sent.push(chunk);
  }
  if (signal.aborted) return served('left');
  if (fault) {
    await breakOff(response, fault.how, signal);
    return served(fault.how);
  }
  response.end();
  return served('complete');
}
