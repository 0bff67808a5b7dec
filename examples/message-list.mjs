// Lists of messages: from older formats, through run, to JSON and back; against the local emulator.
import { MessageList, run, user } from '@skein/core';
import { startEmulator } from '@skein/emulator';

const emulator = await startEmulator();

// A list in an older format, where a call and its result are one message.
const list = MessageList.fromJSON({
  version: '1.0',
  messages: [
    { type: 'AgentMessage', text: 'You are helpful.', role: 'system' },
    { type: 'TextMessage', text: 'The weather in Paris?', role: 'user' },
    {
      type: 'ToolCallMessage',
      message: 'Let me look.',
      tool_name: 'get_weather',
      tool_call_id: 'call_1',
      arguments: { location: 'Paris' },
      result: null,
      error: 'The station did not answer',
    },
  ],
});
for (const message of list) console.log(`${message.role}:`, message.text);

list.append(user('Never mind. Hello!'));
const { messages, manifest } = await run({
  model: 'google/gemini-3.6-flash',
  apiKey: 'any',
  baseUrl: emulator.baseUrl('google-generatecontent'),
  messages: list,
  previous: list.manifest,
}).result;
list.extend(messages);
list.manifest = manifest;

const loaded = MessageList.fromJSON(JSON.stringify(list));
const same = [...loaded].every((message, index) => message.raw === list.at(index)?.raw);
console.log('The last of', loaded.length, 'messages:', loaded.at(-1)?.text);
console.log(same ? 'Every text is as it was.' : 'TEXTS CHANGED');

// A bare array does not name its format, so you do.
const array = '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello","x_new":1.0}]';
console.log('Kept:', MessageList.fromJSON(array, { dialect: 'openai-chat' }).at(-1)?.raw);
await emulator.close();
process.exitCode = same ? 0 : 1;
