/** Events as the bytes of a stream. */
import { stringify } from '../json.ts';
import type { ExtraEvent } from '../reply/reply.ts';
import type { SseEvent } from './rendered.ts';

export function sseText({ event, data, comment }: SseEvent, newline: string): string {
  const lines = [
    ...(comment === undefined ? [] : [`: ${comment}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : [`data: ${data}`]),
  ];
  return `${lines.join(newline)}${newline}${newline}`;
}

/** Events that the protocol does not know, each put behind so many of the known ones. */
export function withExtraEvents(events: readonly SseEvent[], extra: readonly ExtraEvent[] = []): readonly SseEvent[] {
  const at = (index: number) =>
    extra
      .filter(({ after }) => Math.min(after, events.length) === index)
      .map(
        ({ event, data, comment }): SseEvent => ({
          ...(event !== undefined && { event }),
          ...(data !== undefined && { data: stringify(data) }),
          ...(comment !== undefined && { comment }),
        }),
      );
  return [...at(0), ...events.flatMap((event, index) => [event, ...at(index + 1)])];
}
