import { expect, it } from 'vitest';
import { readBlocks } from '../block-events.ts';
import { cohereChat } from './index.ts';

const event = (type: string, message: object, index = 0): readonly [string, string] => [
  type,
  JSON.stringify({ type, index, delta: { message } }),
];
const thought = [
  event('content-start', { content: { type: 'thinking', thinking: '' } }),
  event('content-delta', { content: { thinking: 'Both cities, then.' } }),
  event('content-end', {}),
];
const plan = [event('tool-plan-delta', { tool_plan: 'I look: ' }), event('tool-plan-delta', { tool_plan: 'Zürich.' })];
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };

it.each([
  ['after the thought', [...thought, ...plan], ['Both cities, then.', 'I look: Zürich.']],
  ['before the thought', [...plan, ...thought], ['I look: Zürich.', 'Both cities, then.']],
])('a plan that comes %s is a block of its own, in its place', (_, said, texts) => {
  const reader = readBlocks(cohereChat);
  const events = [...said, event('tool-call-start', { tool_calls: call })].flatMap(([name, data]) => [
    ...reader.push(name, data),
  ]);
  const { reply, events: last } = reader.finish();
  const ended = [...events, ...last].flatMap((one) => (one.type === 'block-end' ? [one.block] : []));
  expect(ended).toEqual(reply.message.content);
  expect(reply.message.content.map((block) => ('text' in block ? block.text : block.type))).toEqual([
    ...texts,
    'tool-use',
  ]);
});
