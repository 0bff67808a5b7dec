// The immutable builder and conversations that continue, against the local emulator, without a key or a network.
import { llm, tool } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';

const emulator = await startEmulator();
emulator.script('openai-responses', [
  says('Echo of the mountains'),
  { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
  says('Cold, but clear.'),
  says('{"city":"Oslo","celsius":4}'),
]);
const env = emulator.env();

// Every call returns a new builder, so this one can be branched as often as you like.
const base = llm.config({ env }).model('openai/gpt-5.5').agent('You are brief.');
console.log('Prompt:', await base.request('A title for my poem?').prompt());

const weather = tool({
  name: 'get_weather',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => ({ city, celsius: 4 }),
});
const conversation = base.tools(weather).request('How is the weather in Oslo?').conversation();
for await (const message of conversation) console.log(`${message.role}:`, message.text || message.toolUses[0]?.name);

const schema = { type: 'object', properties: { city: { type: 'string' }, celsius: { type: 'number' } } };
console.log('Object:', await conversation.continuation.request('As an object, please.').promptFor(schema));

// Saved, loaded, and continued with another provider: only messages are saved.
const loaded = llm.load(JSON.stringify(conversation.save()));
const elsewhere = loaded.continuation.config({ env }).model('anthropic/claude-sonnet-5').tools(weather);
console.log('Elsewhere:', await elsewhere.request('Goodbye').prompt());
console.log('Messages:', loaded.messages.length, 'of which from tools:', loaded.messages.withRole('tool').length);
await emulator.close();
