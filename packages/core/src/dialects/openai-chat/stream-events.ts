import { isObject, type JsonObject } from '../../json/index.ts';
import type { StreamEvent } from '../stream/events.ts';
import { partBlock } from './view-parts.ts';
import { detailText } from './view-reasoning.ts';

/** What a delta says to someone who watches; calls are told where they are put together. */
export function tellDelta(delta: JsonObject, events: StreamEvent[]): void {
  const { content, refusal, audio } = delta;
  const thought = thoughtOf(delta);
  if (thought !== '') events.push({ type: 'reasoning', text: thought });
  if (typeof content === 'string') {
    if (content !== '') events.push({ type: 'text', text: content });
  } else if (Array.isArray(content)) tellParts(content, events);
  if (typeof refusal === 'string' && refusal !== '') events.push({ type: 'refusal', text: refusal });
  if (isObject(audio) && typeof audio.transcript === 'string' && audio.transcript !== '')
    events.push({ type: 'text', text: audio.transcript });
}

/** One thought is told once, though it may come under several names. */
function thoughtOf({ reasoning_content: content, reasoning, reasoning_details: details }: JsonObject): string {
  if (typeof content === 'string' && content !== '') return content;
  if (typeof reasoning === 'string' && reasoning !== '') return reasoning;
  if (!Array.isArray(details)) return '';
  return details.map((detail: unknown) => (isObject(detail) ? (detailText(detail) ?? '') : '')).join('');
}

function tellParts(parts: readonly unknown[], events: StreamEvent[]): void {
  for (const part of parts) {
    const block = partBlock(part);
    if ((block?.type === 'text' || block?.type === 'reasoning' || block?.type === 'refusal') && block.text !== '')
      events.push({ type: block.type, text: block.text });
  }
}
