import type { StreamEvent } from '../../src/index.ts';
import type { ReadStream } from '../corpus/streamed.ts';

export type Told = Exclude<StreamEvent, { type: 'boundary' }>;

/** What a stream tells beside the structure of its blocks. */
export function toldIn(events: readonly StreamEvent[]): Told[] {
  return events.filter((event): event is Told => event.type !== 'boundary');
}

/** Everything a stream came to, as one text: the message, its envelope, how it stopped, and what was told meanwhile. */
export function outcome({ reply, events }: ReadStream): string {
  const { message, alternatives, stop, usage, envelope } = reply;
  return JSON.stringify([
    message.raw,
    message.origin,
    alternatives.map((alternative) => [alternative.message.raw, alternative.stop]),
    stop,
    usage,
    envelope,
    joined(events),
  ]);
}

/** What was told, pieces of the same thing joined. */
function joined(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const all: StreamEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (last && 'text' in last && 'text' in event && sameThing(last, event))
      all[all.length - 1] = { ...last, text: last.text + event.text };
    else all.push(event);
  }
  return all;
}

function sameThing(a: StreamEvent, b: StreamEvent): boolean {
  if (a.type === 'tool-arguments' && b.type === 'tool-arguments') return a.index === b.index;
  return a.type === b.type;
}
