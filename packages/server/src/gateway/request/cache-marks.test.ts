import { anthropicMessages, openaiChat, openaiResponses } from '@skein/core';
import { describe, expect, it } from 'vitest';
import { keepTools } from './cache-marks.ts';
import { adapt } from './test-adapt.ts';

const turns = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'One' },
  { role: 'assistant', content: '1' },
  { role: 'user', content: 'Two' },
];
const tools = [
  { type: 'function', function: { name: 'a', parameters: { type: 'object', properties: { x: {}, y: {} } } } },
  { type: 'function', function: { name: 'b', parameters: { type: 'object' } } },
];

describe('cache markers', () => {
  it('are placed where the target needs them, at most four, and reported', async () => {
    const { body, notes } = await adapt(openaiChat, { model: 'm', messages: turns, tools }, 'anthropic');
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3);
    expect(JSON.stringify(body.messages)).toMatch(/One.*cache_control.*Two.*cache_control/);
    expect(notes).toContain('synthesised cache-marker tools, 1, 3');
    const bedrock = await adapt(openaiChat, { model: 'm', messages: turns, tools }, 'bedrock');
    expect(JSON.stringify(bedrock.body).match(/cachePoint/g)).toHaveLength(3);
  });

  it('are not placed where the target caches by itself', async () => {
    const { body } = await adapt(openaiChat, { model: 'm', messages: turns, tools }, 'google');
    expect(JSON.stringify(body)).not.toContain('cache');
  });

  it('of the client do not reach a vendor that knows none', async () => {
    const marked = [{ role: 'user', content: [{ type: 'text', text: 'One', cache_control: { type: 'ephemeral' } }] }];
    const { body } = await adapt(anthropicMessages, { model: 'm', max_tokens: 5, messages: marked }, 'responses');
    expect(JSON.stringify(body)).not.toContain('cache_control');
  });
});

describe('texts for the client’s own vendor', () => {
  const system = [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cch=12;' },
    { type: 'text', text: 'You are an agent.' },
  ];

  it('are removed for others, and reported', async () => {
    const messages = [{ role: 'user', content: 'Go' }];
    const { body, notes } = await adapt(
      anthropicMessages,
      { model: 'm', max_tokens: 5, system, messages },
      'responses',
    );
    expect(body.instructions).toBe('You are an agent.');
    expect(notes).toContain('dropped system[0].content[0] vendor-text');
    const own = await adapt(anthropicMessages, { model: 'm', max_tokens: 5, system, messages }, 'anthropic');
    expect(JSON.stringify(own.body.system)).toContain('billing');
  });
});

describe('keepTools', () => {
  const read = (tools: readonly object[]) => openaiResponses.readRequest(JSON.stringify({ input: 'Go', tools })).tools;
  const one = { type: 'function', name: 'a', description: 'A', parameters: { type: 'object', properties: { x: {} } } };
  const two = { type: 'function', name: 'b', parameters: { type: 'object' } };

  it('keeps tools in the order and the text of the last request if they are the same set', () => {
    const last = read([one, two]);
    const turned = {
      ...{ parameters: { properties: { x: {} }, type: 'object' }, description: 'A', name: 'a', type: 'function' },
    };
    expect(keepTools(read([two, turned]), last)).toBe(last);
  });

  it('sends what the client changed, added or removed as it is', () => {
    const last = read([one, two]);
    for (const changed of [[two, { ...one, description: 'B' }], [one], [one, two, { ...two, name: 'c' }]]) {
      const tools = read(changed);
      expect(keepTools(tools, last)).toBe(tools);
    }
    const tools = read([one]);
    expect(keepTools(tools, undefined)).toBe(tools);
  });
});
