// A run with a tool that needs approval, against the local emulator, without a key or a network.
import { MessageList, run, tool, user } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';

const emulator = await startEmulator();
emulator.script('anthropic-messages', [
  {
    blocks: [
      { type: 'thinking', text: 'I have to find the order before I can cancel it.' },
      { type: 'tool-use', name: 'find_order', input: '{"number": 2512292042121000001}' },
    ],
  },
  { blocks: [{ type: 'tool-use', name: 'cancel_order', input: { reason: 'changed my mind' } }] },
  says('Your order is cancelled.'),
]);

const tools = [
  tool({
    name: 'find_order',
    input: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
    execute: ({ number }) => ({ number, state: 'paid' }),
  }),
  tool({
    name: 'cancel_order',
    input: { type: 'object', properties: { reason: { type: 'string' } } },
    needsApproval: true,
    execute: (_, { note }) => {
      note('The order was cancelled.');
      return 'done';
    },
  }),
];
const options = {
  model: 'anthropic/claude-sonnet-5',
  apiKey: 'any',
  baseUrl: emulator.baseUrl('anthropic-messages'),
  tools,
};

const history = new MessageList([user('Cancel order 2512292042121000001, please.')]);
const first = run({ ...options, messages: history });
for await (const event of first) {
  if (event.type === 'reasoning') process.stdout.write(event.text);
  if (event.type === 'tool-use') console.log('\ncalls:', event.name);
  if (event.type === 'tool-result') console.log('result:', event.message.text);
}
const paused = await first.result;
history.extend(paused.messages);
console.log('The run ended for:', paused.stop.reason, paused.pending.map(({ name }) => name).join());

// Saved and loaded, as if by another process on another day; somebody has approved the call.
const loaded = MessageList.fromJSON(JSON.stringify(history));
const approvals = Object.fromEntries(paused.pending.map(({ id }) => [id, /** @type {const} */ ('approve')]));
const done = await run({ ...options, messages: loaded, approvals }).result;
console.log('Actions:', done.actions.flatMap(({ notes }) => notes).join());
console.log('Answer:', done.text);
await emulator.close();
