import { Chat, MessageList, system, toolResult, user } from '@skein/core';
import { readChunks } from '../../../packages/core/test/corpus/streamed.ts';
import { FIXTURES } from '../../../packages/core/test/fixtures/index.ts';
import { mutated } from '../mutate.ts';
import { hold, refusal, type Target } from '../target.ts';

const chat = new Chat({ model: 'openai/gpt-5', apiKey: 'none' });
const talk = [
  system('Be brief.'),
  user('Hello'),
  ...FIXTURES.map(({ dialect, toolCallSse }) => readChunks(dialect.id, [toolCallSse]).reply.message),
  toolResult('call_fix1', 'the answer'),
];
const list = JSON.stringify(new MessageList(talk));

/** Saved conversations: read, or returned with the reason. The next save loses nothing. */
export const targets: readonly Target[] = [
  {
    name: 'chat state',
    input: mutated([chat.appendToState(null, talk), chat.appendToState(null, [user('Hi')])]),
    run(text) {
      const next = chat.updateStateAfterEvent(text, 'Something happened');
      hold(next.includes('Something happened'), 'what happened is not in the state');
      const again = chat.updateStateAfterEvent(next, 'Something else');
      hold(again.includes('Something happened'), 'the state after it has forgotten what happened');
      return next.includes('"discarded"') ? 'discarded' : 'read';
    },
  },
  {
    name: 'message list',
    input: mutated([list]),
    run(text) {
      try {
        const read = MessageList.fromJSON(text);
        const again = MessageList.fromJSON(JSON.stringify(read));
        const same = [...read].every((message, index) => message.raw === again.at(index)?.raw);
        hold(same && read.length === again.length, 'saving and loading changed the messages');
        return `${read.length} messages`;
      } catch (error) {
        return refusal(error, ['MessageListDeserializationError']);
      }
    },
  },
];
