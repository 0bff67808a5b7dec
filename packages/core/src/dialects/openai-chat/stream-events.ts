import { isObject, type JsonObject } from '../../json/index.ts';
import type { StreamEvent } from '../stream/events.ts';
import { partBlock } from './view-parts.ts';
import { detailText } from './view-reasoning.ts';

/** Tells someone who watches what each delta says; calls are told where they are put together. */
export class DeltaTeller {
  /** Whether thoughts come as plain text: then the same thought taken apart is not told again. */
  #thinksAloud = false;

  tell(delta: JsonObject, events: StreamEvent[]): void {
    const { content, refusal, audio } = delta;
    const thought = this.#thoughtOf(delta);
    if (thought !== '') events.push({ type: 'reasoning', text: thought });
    if (typeof content === 'string') {
      if (content !== '') events.push({ type: 'text', text: content });
    } else if (Array.isArray(content)) tellParts(content, events);
    if (typeof refusal === 'string' && refusal !== '') events.push({ type: 'refusal', text: refusal });
    if (isObject(audio) && typeof audio.transcript === 'string' && audio.transcript !== '')
      events.push({ type: 'text', text: audio.transcript });
  }

  #thoughtOf({ reasoning_content: content, reasoning, reasoning_details: details }: JsonObject): string {
    const plain = typeof content === 'string' && content !== '' ? content : reasoning;
    if (typeof plain === 'string' && plain !== '') {
      this.#thinksAloud = true;
      return plain;
    }
    if (this.#thinksAloud || !Array.isArray(details)) return '';
    return details.map((detail: unknown) => (isObject(detail) ? (detailText(detail) ?? '') : '')).join('');
  }
}

function tellParts(parts: readonly unknown[], events: StreamEvent[]): void {
  for (const part of parts) {
    const block = partBlock(part);
    if ((block?.type === 'text' || block?.type === 'reasoning' || block?.type === 'refusal') && block.text !== '')
      events.push({ type: block.type, text: block.text });
  }
}
