import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The ways in which a provider fails. */
export const FAULTS = ['well', 'cut', 'stall', 'trickle', 'garbage', 'short', 'reset', 'no stream'] as const;
export type Fault = (typeof FAULTS)[number];

const STREAM = Array.from(
  { length: 40 },
  (_, index) =>
    `data: {"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"piece ${index} ☃ "},"finish_reason":null}]}\n\n`,
)
  .concat(
    'data: {"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    'data: [DONE]\n\n',
  )
  .join('');

/** A provider that fails as `next` says, and counts the bytes that it sent. */
export async function startBadUpstream(next: () => { readonly fault: Fault; readonly at: number }) {
  const sent: { fault: Fault; bytes: Buffer }[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const { fault, at } = next();
      const own = { fault, bytes: bytesOf(fault, at) };
      sent.push(own);
      answer(response, own);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    sent,
    url: `http://127.0.0.1:${port}/v1`,
    close: () => new Promise<void>((done) => server.close(() => done()).closeAllConnections()),
  };
}

function bytesOf(fault: Fault, at: number): Buffer {
  const whole = Buffer.from(STREAM);
  if (fault === 'well' || fault === 'trickle') return whole;
  if (fault === 'reset') return Buffer.alloc(0);
  if (fault === 'no stream') return Buffer.from('<h1>502 Bad gateway</h1>');
  if (fault === 'garbage')
    return Buffer.from(Array.from({ length: 2000 }, (_, index) => (index * 7919 + at * 977) & 255));
  return whole.subarray(0, Math.floor(at * whole.length));
}

function answer(response: ServerResponse, { fault, bytes }: { fault: Fault; bytes: Buffer }): void {
  if (fault === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const status = fault === 'no stream' ? 502 : 200;
  response.writeHead(status, { 'content-type': fault === 'no stream' ? 'text/html' : 'text/event-stream' });
  if (fault === 'trickle') {
    trickle(response, bytes, 0);
    return;
  }
  if (fault !== 'cut' && fault !== 'stall') {
    response.end(bytes);
    return;
  }
  response.write(bytes, () => {
    if (fault === 'cut') setImmediate(() => response.socket?.destroy());
    else setTimeout(() => response.socket?.destroy(), 50);
  });
}

/** A few bytes at a time, even in the middle of characters. */
function trickle(response: ServerResponse, bytes: Buffer, at: number): void {
  if (at >= bytes.length) {
    response.end();
    return;
  }
  response.write(bytes.subarray(at, at + 61), () => setImmediate(() => trickle(response, bytes, at + 61)));
}
