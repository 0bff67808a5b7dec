// A chat whose state is one text that you store. It runs against the local emulator, without a key or a network.
import { Chat, system, tool, user } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';

const emulator = await startEmulator();
emulator.script('anthropic-messages', [
  { blocks: [{ type: 'tool-use', name: 'opening_hours', input: { place: 'Harrogate Theatre' } }] },
  says('It opens at ten.'),
]);

const chat = new Chat({
  model: 'anthropic/claude-sonnet-5',
  apiKey: 'any',
  baseUrl: emulator.baseUrl('anthropic-messages'),
  tools: [
    tool({
      name: 'opening_hours',
      input: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
      execute: ({ place }) => ({ place, opens: '10:00' }),
    }),
  ],
});
const guide = system('You are a guide. Be brief.');

// The system message is sent with every call and never stored in the state.
const first = await chat.chatWithState(null, [guide, user('When does the theatre open?')]);
console.log('Answer:', first.text);

// Adds an event without asking the model.
const checkedIn = chat.updateStateAfterEvent(first.state, 'User has checked in at Harrogate Theatre');

// Another day, another process: the text is all that is needed.
const second = await chat.chatWithState(checkedIn, [guide, user('What is this place?')]);
console.log('Answer:', second.text);

// An unusable state is returned, and a new conversation starts.
const { discarded } = await chat.chatWithState('{"version":99}', [guide, user('Hello?')]);
console.log('Discarded:', discarded?.reason, discarded?.state);

// With another system message, the provider's cache misses.
const { notices } = await chat.chatWithState(second.state, [system('You are a pirate.'), user('Ahoy')]);
for (const notice of notices) console.log('Notice:', notice.message);
await emulator.close();
