import { type Told, toldIn } from '../../../test/properties/told.ts';
import type { RawReply } from '../dialect.ts';
import { assemble } from './read-stream.ts';

interface Replayed extends RawReply {
  readonly cut: boolean;
  readonly events: readonly Told[];
  readonly raw: string;
}

/** What a stream of these events gives, and what it tells on the way. */
export function replay(...events: readonly string[]): Replayed {
  const assembler = assemble();
  const told = events.flatMap((data) => assembler.push(undefined, data));
  const deltas = toldIn(told);
  const reply = assembler.finish();
  return { ...reply, events: deltas, raw: reply.choices[0]!.raw };
}

/** One event: a delta, what follows it in the choice, and what follows the choices. */
export function chunk(delta: string, more = '"finish_reason":null', top = ''): string {
  return `{"id":"c1","object":"chat.completion.chunk","created":1.0,"model":"m-1","choices":[{"index":0,"delta":${delta},${more}}]${top}}`;
}

export function callChunk(fragment: string): string {
  return chunk(`{"tool_calls":[${fragment}]}`);
}

export const END = chunk('{}', '"finish_reason":"stop"');
