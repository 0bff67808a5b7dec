import type { StreamDelta } from '../dialects/index.ts';
import type { Message } from '../message/index.ts';

/** What a stream would have told of a message that came in one piece. */
export function* replyEvents(message: Message): Generator<StreamDelta> {
  let index = 0;
  for (const block of message.content) {
    if (block.type === 'tool-use') {
      const { id, name, rawParameters } = block;
      yield { type: 'tool-use', index, id, name };
      yield { type: 'tool-arguments', index, text: rawParameters };
      index++;
    } else if ((block.type === 'text' || block.type === 'reasoning' || block.type === 'refusal') && block.text !== '') {
      yield { type: block.type, text: block.text };
    }
  }
}
