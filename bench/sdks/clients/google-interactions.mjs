import { GoogleGenAI } from '@google/genai';
import { SYSTEM, TOOL } from '../sdk.mjs';

const model = 'gemini-3.6-flash';
const tools = [{ type: 'function', ...TOOL }];

/** @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'interactions',
  package: '@google/genai',
  protocol: 'google-interactions',
  modes: ['JSON', 'stream'],
  open({ proxy, key, isStreamed }) {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${proxy}/google-interactions` } });
    let previous;
    const send = async (input) => {
      const request = { model, system_instruction: SYSTEM, tools, input };
      const options = previous ? { ...request, previous_interaction_id: previous } : request;
      const { id, turn } = isStreamed
        ? await readEvents(await client.interactions.create({ ...options, stream: true }))
        : readInteraction(await client.interactions.create(options));
      previous = id;
      return turn;
    };
    return {
      say: send,
      answer: ({ id, name }, result) => send([{ type: 'function_result', call_id: id, name, result }]),
    };
  },
};

function readInteraction({ id, steps }) {
  const text = steps.flatMap(({ content = [] }) => content.map((part) => part.text ?? '')).join('');
  const calls = steps.filter(({ type }) => type === 'function_call');
  return { id, turn: { text, calls: calls.map((call) => ({ id: call.id, name: call.name, input: call.arguments })) } };
}

async function readEvents(events) {
  let id = '';
  let text = '';
  const calls = new Map();
  for await (const event of events) {
    if (event.event_type === 'interaction.created') id = event.interaction.id;
    if (event.event_type === 'step.start' && event.step.type === 'function_call')
      calls.set(event.index, { id: event.step.id, name: event.step.name, json: '' });
    if (event.event_type !== 'step.delta') continue;
    if (event.delta.type === 'text') text += event.delta.text;
    if (event.delta.type === 'arguments_delta') calls.get(event.index).json += event.delta.arguments;
  }
  const read = [...calls.values()].map(({ json, ...call }) => ({ ...call, input: JSON.parse(json) }));
  return { id, turn: { text, calls: read } };
}
