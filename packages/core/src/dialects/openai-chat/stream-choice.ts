import { isObject, isText, type JsonObject, leafNode, type Path, type RecordNode } from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';
import type { StreamEvent } from '../stream/index.ts';
import { Latest } from './latest.ts';
import { StreamedMessage } from './stream-message.ts';
import { detailBlock, partBlock } from './view.ts';

/** One choice of a streamed reply: its message, and what its envelope says. */
export class StreamedChoice {
  readonly message = new StreamedMessage();
  finishReason: string | undefined;
  readonly #latest = new Latest();
  /** Whether thoughts come as plain text: then the same thought taken apart is not told again. */
  #thinksAloud = false;

  add(data: string, position: number, choice: JsonObject, events: StreamEvent[]): void {
    const path = ['choices', position];
    // A whole message in place of a delta: some servers stream a reply in one piece.
    const holder = isObject(choice.delta) ? 'delta' : 'message';
    this.#latest.add(choice, data, path, holder);
    if (isText(choice.finish_reason)) this.finishReason = choice.finish_reason;
    const delta = choice[holder];
    if (isObject(delta)) this.addDelta(data, [...path, holder], delta, events);
  }

  /** `delta` is the value at `path` of the text. */
  addDelta(data: string, path: Path, delta: JsonObject, events: StreamEvent[]): void {
    this.#tell(delta, events);
    this.message.add(data, path, delta, events);
  }

  /** The choice as an unstreamed envelope has it: no delta, and `null` for the message. */
  envelope(): RecordNode {
    const members = this.#latest
      .record()
      .members.map((member) =>
        member.name === 'delta' || member.name === 'message' ? { name: 'message', value: leafNode('null') } : member,
      );
    return { kind: 'record', members };
  }

  /** What a delta says; calls are told where they are put together. */
  #tell(delta: JsonObject, events: StreamEvent[]): void {
    const { content, refusal, audio, reasoning, reasoning_content: thought, reasoning_details: details } = delta;
    const aloud = isText(thought) ? thought : reasoning;
    if (isText(aloud)) {
      this.#thinksAloud = true;
      events.push({ type: 'reasoning', text: aloud });
    } else if (!this.#thinksAloud && Array.isArray(details)) tell(details.map(detailBlock), events);
    if (isText(content)) events.push({ type: 'text', text: content });
    else if (Array.isArray(content)) tell(content.map(partBlock), events);
    if (isText(refusal)) events.push({ type: 'refusal', text: refusal });
    if (isObject(audio) && isText(audio.transcript)) events.push({ type: 'text', text: audio.transcript });
  }
}

function tell(blocks: readonly (ContentBlock | undefined)[], events: StreamEvent[]): void {
  for (const block of blocks) {
    if (block && 'text' in block && block.text !== '') events.push({ type: block.type, text: block.text });
  }
}
