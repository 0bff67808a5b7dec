import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs, share } from '../../../../scripts/test-shares.ts';
import { decodeSse } from '../../src/index.ts';
import { ALL_PROTOCOLS, type AnyProtocol } from '../corpus/recordings.ts';
import { readChunks, type Streamed, streams } from '../corpus/streamed.ts';
import { outcome } from './told.ts';

const SHORT = 4096;
const WINDOW = 48;

type Bytes = Streamed & { readonly bytes: Uint8Array };

/** Different streams only: several recordings hold the same bytes. */
function differentStreams(protocol: AnyProtocol): Bytes[] {
  const bySse = new Map(streams(protocol).map((stream) => [stream.sse, stream]));
  return [...bySse.values()].map((stream) => ({ ...stream, bytes: new TextEncoder().encode(stream.sse) }));
}

/** The places where a split does not give what the whole stream gives. */
function wrongSplits(read: (chunks: Uint8Array[]) => string, bytes: Uint8Array, from = 0, to = bytes.length): number[] {
  const whole = read([bytes]);
  const wrong: number[] = [];
  for (let at = from; at <= Math.min(to, bytes.length); at++) {
    if (read([bytes.subarray(0, at), bytes.subarray(at)]) !== whole) wrong.push(at);
  }
  return wrong;
}

/** The events that chunks are taken apart into. A reader is told nothing else, so the same events are the same reply. */
function decoded(chunks: readonly Uint8Array[]): string {
  let all = '';
  const decoder = decodeSse((event, data) => {
    all += `${event}\u0000${data}\u0000`;
  });
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return all;
}

function chunked(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

describe.each(ALL_PROTOCOLS)('%s', (protocol) => {
  const all = differentStreams(protocol);

  const read = (chunks: Uint8Array[]): string => outcome(readChunks(protocol, chunks));
  const placed = (name: string, places: readonly number[]): string[] => places.map((at) => `${name} at byte ${at}`);

  it('a short stream, split between any two bytes', () => {
    const short = share(all.filter(({ bytes }) => bytes.length <= SHORT));
    const wrong = short.flatMap(({ name, bytes }) => placed(name, wrongSplits(decoded, bytes)));
    console.log(`${protocol}: split ${short.length} streams between any two bytes`);
    expect(wrong).toEqual([]);
  });

  it('a fixture, split between any two bytes and read to its end', () => {
    const [, { name, bytes }] = all as [Bytes, Bytes];
    expect(placed(name, wrongSplits(read, bytes))).toEqual([]);
  });

  it('a long stream, split between any two bytes of some windows', () => {
    const wrong = share(all).flatMap(({ name, bytes }, index) => {
      if (bytes.length <= SHORT) return [];
      const windows = [1, 2, 3].map((turn) => ((index + turn) * 7919) % (bytes.length - WINDOW));
      return windows.flatMap((from) => placed(name, wrongSplits(decoded, bytes, from, from + WINDOW)));
    });
    expect(wrong).toEqual([]);
  });

  it('any stream, in chunks of any sizes', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...all), sizes, ({ bytes }, several) => {
        expect(read(chunked(bytes, several))).toBe(read([bytes]));
      }),
      { seed: 6, numRuns: runs(100) },
    );
  });

  it('byte by byte', () => {
    for (const { bytes } of all.slice(0, 2)) expect(read(chunked(bytes, [1]))).toBe(read([bytes]));
  });
});
