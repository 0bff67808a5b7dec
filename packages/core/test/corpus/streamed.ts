import { type BlockEvent, readBlocks } from '../../src/dialect.ts';
import { type Dialect, decodeSse, dialect, type Reply, type StreamEvent } from '../../src/index.ts';
import { FIXTURES } from '../fixtures/index.ts';
import { type AnyProtocol, exchanges } from './recordings.ts';

export interface Streamed {
  readonly name: string;
  readonly sse: string;
}

/** The fixtures of a protocol that are streams, and every streamed recording where the corpus is present. */
export function streams(protocol: AnyProtocol): readonly Streamed[] {
  const fixtures = FIXTURES.filter((fixture) => fixture.dialect.id === protocol);
  return [
    ...fixtures.map((fixture) => ({ name: 'fixture', sse: fixture.sse })),
    ...fixtures.map((fixture) => ({ name: 'fixture with calls', sse: fixture.toolCallSse })),
    ...exchanges(protocol).flatMap(({ name, sse }) =>
      sse === undefined ? [] : separate(sse).map((one) => ({ name, sse: one })),
    ),
  ];
}

/** Written by hand, and its deltas are not what it says at the end. */
export const CONTRADICTORY = 'vercel.openai.openai-shell-container.1.stream.json#0';

/** Some recordings hold the streams of several responses, one behind the other. */
function separate(sse: string): string[] {
  return sse.split(
    /(?<=event: (?:response\.completed|message_stop)\ndata: .*\n\n)(?=event: (?:response\.created|message_start)\n)/,
  );
}

export interface ReadStream {
  readonly reply: Reply;
  readonly events: readonly StreamEvent[];
}

/** Reads a stream that arrives in these chunks. */
export function readChunks(protocol: string, chunks: Iterable<Uint8Array | string>): ReadStream {
  const reader = dialect(protocol).readStream();
  const events: StreamEvent[] = [];
  const decoder = decodeSse((event, data) => {
    for (const told of reader.push(event, data)) events.push(told);
  });
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return { reply: reader.finish(), events };
}

export interface ReadBlocks {
  readonly reply: Reply;
  readonly events: readonly BlockEvent[];
}

/** Reads the events of a stream block by block. */
export function readAsBlocks(
  dialect: Dialect,
  stream: Iterable<readonly [event: string | undefined, data: string]>,
): ReadBlocks {
  const reader = readBlocks(dialect);
  const told = [...stream].flatMap(([event, data]) => reader.push(event, data));
  const { reply, events } = reader.finish();
  return { reply, events: [...told, ...events] };
}

/** Reads the text of a stream block by block. */
export function readBlocksOf(protocol: string, sse: string): ReadBlocks {
  const all: (readonly [string | undefined, string])[] = [];
  const decoder = decodeSse((event, data) => all.push([event, data]));
  decoder.push(sse);
  decoder.end();
  return readAsBlocks(dialect(protocol), all);
}
