import type { Accumulated } from './accumulated.ts';
import type { SseEvent } from './events-of.ts';
import { isRecord, listAt, numberText, parseSource, recordAt, type SourceObject } from './source-json.ts';

const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/**
 * The response of the last event is the source. Providers that leave its output empty have said it all in
 * `output_item.done` before.
 */
export function accumulate(events: readonly SseEvent[]): Accumulated {
  const items = new Map<string, SourceObject>();
  let response: SourceObject = {};
  let ended = false;
  for (const { data } of events) {
    if (data === '[DONE]') continue;
    const value = parseSource(data);
    if (!isRecord(value)) continue;
    if (isRecord(value.response) && !ended) response = value.response;
    ended ||= ENDS.has(String(value.type));
    if (value.type === 'response.output_item.done')
      items.set(numberText(value.output_index) ?? '', recordAt(value, 'item'));
  }
  const output = listAt(response, 'output');
  const byIndex = [...items].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
  return {
    messages: [output.length > 0 ? output : byIndex],
    envelope: { ...response, output: null },
  };
}
