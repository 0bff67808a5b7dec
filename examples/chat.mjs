// A chat whose state is a text that you keep, wherever you keep texts; against the local emulator: no key, no network.
import { Chat, system, tool, user } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';

const emulator = await startEmulator();
emulator.script('anthropic-messages', [
  { blocks: [{ type: 'tool-use', name: 'opening_hours', input: { place: 'Harrogate Theatre' } }] },
  says('It opens at ten.'),
]);

const chat = new Chat({
  model: 'anthropic/claude-sonnet-4-5',
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

// The system message is sent with every call, and is never in the state.
const first = await chat.chatWithState(null, [guide, user('When does the theatre open?')]);
console.log('Answer:', first.text);

// Something happened; nobody is asked.
const checkedIn = chat.updateStateAfterEvent(first.state, 'User has checked in at Harrogate Theatre');

// Another day, another process: all there is, is the text.
const second = await chat.chatWithState(checkedIn, [guide, user('What is this place?')]);
console.log('Answer:', second.text);

// A state that cannot be used is given back, and the conversation starts anew.
const { discarded } = await chat.chatWithState('{"version":99}', [guide, user('Hello?')]);
console.log('Discarded:', discarded?.reason, discarded?.state);

// Another system message: what the provider has cached no longer fits.
const { notices } = await chat.chatWithState(second.state, [system('You are a pirate.'), user('Ahoy')]);
for (const notice of notices) console.log('Notice:', notice.message);
await emulator.close();
