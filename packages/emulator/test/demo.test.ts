import { describe, expect, test } from 'vitest';
import { demoBrain, type MessageReply, type Protocol, protocols } from '../src/index.ts';
import { ask, type Body, eventsOf, hello, start, streamOf, waits } from './support.ts';

const schema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer' },
  },
  required: ['city', 'unit', 'days'],
};
const description = 'Weather forecast for a city';
const text = 'What will the weather be in Oslo for 3 days, in fahrenheit?';
const wanted = { city: 'Oslo', unit: 'fahrenheit', days: 3 };

/** A tool loop in each protocol: the question, the call in the reply, the request that answers it, the final text. */
interface Loop {
  readonly first: object;
  readonly args: (answer: Body) => unknown;
  readonly second: (answer: Body) => object;
  readonly text: (answer: Body) => unknown;
}

const loops: Readonly<Record<Protocol, Loop>> = {
  'anthropic-messages': (() => {
    const tools = [{ name: 'get_weather', description, input_schema: schema }];
    const base = { model: 'claude-opus-5-5', max_tokens: 4000, thinking: { type: 'adaptive' }, tools };
    const user = { role: 'user', content: text };
    return {
      first: { ...base, messages: [user] },
      args: ({ content }: Body) => content?.[1]?.input,
      second: ({ content }: Body) => ({
        ...base,
        messages: [
          user,
          { role: 'assistant', content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: content?.[1]?.id, content: 'Snow' }] },
        ],
      }),
      text: ({ content }: Body) => content?.[1]?.text,
    };
  })(),
  'openai-chat': (() => {
    const tools = [{ type: 'function', function: { name: 'get_weather', description, parameters: schema } }];
    const user = { role: 'user', content: text };
    return {
      first: { model: 'gpt-4o', tools, messages: [user] },
      args: ({ choices }: Body) => JSON.parse(`${choices?.[0]?.message?.tool_calls?.[0]?.function?.arguments}`),
      second: ({ choices }: Body) => {
        const message = choices?.[0]?.message;
        const result = { role: 'tool', tool_call_id: message?.tool_calls?.[0]?.id, content: 'Snow' };
        return { model: 'gpt-4o', tools, messages: [user, message, result] };
      },
      text: ({ choices }: Body) => choices?.[0]?.message?.content,
    };
  })(),
  'openai-responses': (() => {
    const tools = [{ type: 'function', name: 'get_weather', description, parameters: schema }];
    const base = { model: 'gpt-5.5', tools, reasoning: { summary: 'auto' } };
    return {
      first: { ...base, input: text },
      args: ({ output }: Body) => JSON.parse(`${output?.[1]?.arguments}`),
      second: ({ id, output }: Body) => ({
        ...base,
        previous_response_id: id,
        input: [{ type: 'function_call_output', call_id: output?.[1]?.call_id, output: 'Snow' }],
      }),
      text: ({ output }: Body) => output?.[1]?.content?.[0]?.text,
    };
  })(),
  'google-generatecontent': (() => {
    const tools = [{ functionDeclarations: [{ name: 'get_weather', description, parametersJsonSchema: schema }] }];
    const user = { role: 'user', parts: [{ text }] };
    return {
      first: { contents: [user], tools },
      args: ({ candidates }: Body) => candidates?.[0]?.content?.parts?.[0]?.functionCall?.args,
      second: ({ candidates }: Body) => {
        const content = candidates?.[0]?.content;
        const response = { functionResponse: { name: 'get_weather', response: { sky: 'Snow' } } };
        return { contents: [user, content, { role: 'user', parts: [response] }], tools };
      },
      text: ({ candidates }: Body) => candidates?.[0]?.content?.parts?.[0]?.text,
    };
  })(),
  'bedrock-converse': (() => {
    const toolConfig = {
      tools: [{ toolSpec: { name: 'get_weather', description, inputSchema: { json: schema } } }],
    };
    const user = { role: 'user', content: [{ text }] };
    return {
      first: { messages: [user], toolConfig },
      args: ({ output }: Body) => output?.message?.content?.[0]?.toolUse?.input,
      second: ({ output }: Body) => {
        const toolUseId = output?.message?.content?.[0]?.toolUse?.toolUseId;
        const toolResult = { toolUseId, content: [{ text: 'Snow' }] };
        return { messages: [user, output?.message, { role: 'user', content: [{ toolResult }] }], toolConfig };
      },
      text: ({ output }: Body) => output?.message?.content?.[0]?.text,
    };
  })(),
  'cohere-chat': (() => {
    const tools = [{ type: 'function', function: { name: 'get_weather', description, parameters: schema } }];
    const user = { role: 'user', content: text };
    const model = 'command-a-03-2025';
    return {
      first: { model, tools, messages: [user] },
      args: ({ message }: Body) => JSON.parse(`${message?.tool_calls?.[0]?.function?.arguments}`),
      second: ({ message }: Body) => {
        const result = { role: 'tool', tool_call_id: message?.tool_calls?.[0]?.id, content: 'Snow' };
        return { model, tools, messages: [user, message, result] };
      },
      text: ({ message }: Body) => message?.content?.[0]?.text,
    };
  })(),
  'google-interactions': (() => {
    const tools = [{ type: 'function', name: 'get_weather', description, parameters: schema }];
    const base = { model: 'gemini-3.6-flash', tools, generation_config: { thinking_summaries: 'auto' } };
    return {
      first: { ...base, input: text },
      args: ({ steps }: Body) => steps?.[1]?.arguments,
      second: ({ id, steps }: Body) => ({
        ...base,
        previous_interaction_id: id,
        input: [{ type: 'function_result', call_id: steps?.[1]?.id, result: 'Snow' }],
      }),
      text: ({ steps }: Body) => steps?.[1]?.content?.[0]?.text,
    };
  })(),
};

describe.each(protocols)('the demo model over %s', (protocol) => {
  const { first, args, second, text: said } = loops[protocol];

  test('calls a fitting tool with words of the user, then quotes its result', async () => {
    const emulator = await start({ brain: 'demo' });
    const call = await ask(emulator, protocol, first);
    expect(args(call.answer)).toEqual(wanted);
    const final = await ask(emulator, protocol, second(call.answer));
    expect(final.rule).toBeUndefined();
    expect(said(final.answer)).toMatch(/^## .*`get_weather` answered:.*Snow.*^- .*```/ms);
  });

  test('is honest, the same every time, and different when it is asked again', async () => {
    const [one, other] = [await start({ brain: 'demo' }), await start({ brain: 'demo' })];
    const texts: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      const [here, there] = await Promise.all([one, other].map((emulator) => ask(emulator, protocol, hello[protocol])));
      const bare = JSON.stringify(here?.answer);
      const words = /## (?:[^"\\]|\\.)*/.exec(bare)?.[0] ?? '';
      expect(words).toContain("Skein's demo model");
      expect(JSON.stringify(there?.answer)).toContain(words);
      texts.push(words);
    }
    expect(new Set(texts).size).toBe(4);
  });

  test('streams at human speed', async () => {
    const emulator = await start({ brain: 'demo' });
    const response = await streamOf(emulator, protocol, hello[protocol]);
    const length = (await response.text()).length;
    const seconds = waits.reduce((sum, milliseconds) => sum + milliseconds, 0) / 1000;
    const { answer } = await ask(emulator, protocol, hello[protocol]);
    const usage = answer.usage?.tokens ?? answer.usage ?? answer.usageMetadata;
    const tokens = Number(
      usage?.output_tokens ??
        usage?.completion_tokens ??
        usage?.candidatesTokenCount ??
        usage?.outputTokens ??
        usage?.total_output_tokens,
    );
    expect(length).toBeGreaterThan(1000);
    expect(tokens / seconds).toBeGreaterThan(25);
    expect(tokens / seconds).toBeLessThan(70);
  });
});

const request = {
  protocol: 'openai-chat',
  issuer: '',
  model: 'demo',
  stream: false,
  attempt: 0,
  body: {},
  text: 'Hello',
  tools: [],
  forced: undefined,
  format: undefined,
  results: [],
  thinking: false,
} as const;
const blocks = (more: object) => (demoBrain({ ...request, ...more }) as MessageReply).blocks;
const tool = (name: string, about = '') => ({ name, description: about, schema: {} });

describe('its choices', () => {
  test('no tool is called that does not fit, unless one is asked for', () => {
    const tools = [tool('delete_files', 'Removes files'), tool('searchWeb', 'Finds pages')];
    expect(blocks({ tools })).toMatchObject([{ type: 'text' }]);
    expect(blocks({ tools, text: 'Search the web for fjords' })).toMatchObject([{ name: 'searchWeb' }]);
    expect(blocks({ tools, text: 'Please use a tool.' })).toMatchObject([{ type: 'tool-use' }]);
    expect(blocks({ tools, forced: 'delete_files' })).toMatchObject([{ name: 'delete_files' }]);
    expect(blocks({ tools, forced: true })).toMatchObject([{ type: 'tool-use' }]);
    expect(blocks({ tools, forced: true, results: [{ name: 'x', text: 'y' }] })).toMatchObject([{ type: 'text' }]);
  });

  test('thoughts come first where they are asked for', () => {
    expect(blocks({ thinking: true })).toMatchObject([{ type: 'thinking' }, { type: 'text' }]);
  });

  test('an answer follows its schema', () => {
    const format = {
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date' },
        list: { type: 'array', items: { $ref: '#/$defs/one' } },
        sum: { anyOf: [{ type: 'number', minimum: 5, maximum: 6 }] },
        sure: { type: 'boolean' },
        kind: { const: 'x' },
      },
      $defs: { one: { type: ['string', 'null'], maxLength: 3 } },
    };
    const [block] = blocks({ format, text: 'Something' });
    expect(block?.type === 'text' && JSON.parse(block.text)).toEqual({
      when: '2026-11-02',
      list: ['Som'],
      sum: expect.toSatisfy((sum: number) => sum >= 5 && sum <= 6),
      sure: expect.any(Boolean),
      kind: 'x',
    });
  });

  test('a schema that contains itself ends', () => {
    const node = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
    expect(JSON.stringify(blocks({ format: node })).length).toBeLessThan(500);
  });
});

test('a tool call is streamed with its thoughts, signed', async () => {
  const emulator = await start({ brain: 'demo', seed: 'demo' });
  const { first } = loops['anthropic-messages'];
  const response = await streamOf(emulator, 'anthropic-messages', first);
  const types = eventsOf(await response.text()).map(({ delta }) => `${delta?.type}`);
  expect(types).toContain('thinking_delta');
  expect(types).toContain('signature_delta');
  expect(types).toContain('input_json_delta');
});
