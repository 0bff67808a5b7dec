import { describe, expect, test } from 'vitest';
import { type MessageReply, type Protocol, protocols, rawJson } from '../src/index.ts';
import { ask, type Body, eventsOf, hello, post, start, streamOf } from './support.ts';

const reply: MessageReply = {
  blocks: [
    { type: 'thinking', text: 'Let me think about that for a while.' },
    { type: 'text', text: 'Here is what I found, and it is rather long. ✨' },
    { type: 'tool-use', id: 'call_1', name: 'look_up', input: '{"term": "fjord",  "n": 12345678901234567890}' },
  ],
  pieces: 7,
};

/** Text, thoughts and arguments of a whole reply. */
const whole: Readonly<Record<Protocol, (body: Body) => unknown>> = {
  'anthropic-messages': ({ content }) => [content?.[0]?.thinking, content?.[1]?.text, content?.[2]?.input],
  'openai-chat': ({ choices }) => {
    const message = choices?.[0]?.message;
    const call = message?.tool_calls?.[0]?.function?.arguments;
    return [message?.reasoning_content, message?.content, JSON.parse(`${call}`)];
  },
  'openai-responses': ({ output }) => [
    output?.[0]?.summary?.[0]?.text,
    output?.[1]?.content?.[0]?.text,
    JSON.parse(`${output?.[2]?.arguments}`),
  ],
  'google-generatecontent': ({ candidates }) => {
    const parts = candidates?.[0]?.content?.parts;
    return [parts?.[0]?.text, parts?.[1]?.text, parts?.[2]?.functionCall?.args];
  },
  'bedrock-converse': ({ output }) => {
    const content = output?.message?.content;
    const { reasoningText } = content?.[0]?.reasoningContent ?? {};
    return [reasoningText?.text, content?.[1]?.text, content?.[2]?.toolUse?.input];
  },
  'cohere-chat': ({ message }) => [
    message?.content?.[0]?.thinking,
    message?.content?.[1]?.text,
    JSON.parse(`${message?.tool_calls?.[0]?.function?.arguments}`),
  ],
  'google-interactions': ({ steps }) => [
    steps?.[0]?.summary?.[0]?.text,
    steps?.[1]?.content?.[0]?.text,
    steps?.[2]?.arguments,
  ],
};

const join = (pieces: readonly (Body | undefined)[]): string => pieces.filter((piece) => piece !== undefined).join('');

/** The same, put together from the events by what each protocol says of its deltas. */
const streamed: Readonly<Record<Protocol, (events: readonly Body[]) => unknown>> = {
  'anthropic-messages': (events) => {
    const deltas = events.map(({ delta }) => delta);
    const input = join(deltas.map((delta) => delta?.partial_json));
    return [join(deltas.map((delta) => delta?.thinking)), join(deltas.map((delta) => delta?.text)), JSON.parse(input)];
  },
  'openai-chat': (events) => {
    const deltas = events.map(({ choices }) => choices?.[0]?.delta);
    const input = join(deltas.map((delta) => delta?.tool_calls?.[0]?.function?.arguments));
    return [
      join(deltas.map((delta) => delta?.reasoning_content)),
      join(deltas.map((delta) => delta?.content)),
      JSON.parse(input),
    ];
  },
  'openai-responses': (events) => {
    const deltas = (kind: string) =>
      join(events.filter(({ type }) => `${type}` === `response.${kind}.delta`).map(({ delta }) => delta));
    return [deltas('reasoning_summary_text'), deltas('output_text'), JSON.parse(deltas('function_call_arguments'))];
  },
  'google-generatecontent': (events) => {
    const parts = events.map(({ candidates }) => candidates?.[0]?.content?.parts?.[0]);
    const text = (thought: boolean) =>
      join(parts.filter((part) => Boolean(part?.thought) === thought).map((part) => part?.text));
    return [text(true), text(false), parts.find((part) => part?.functionCall)?.functionCall?.args];
  },
  'bedrock-converse': (events) => {
    const deltas = events.map(({ delta }) => delta);
    const thoughts = join(deltas.map((delta) => delta?.reasoningContent?.text));
    const input = join(deltas.map((delta) => delta?.toolUse?.input));
    return [thoughts, join(deltas.map((delta) => delta?.text)), JSON.parse(input)];
  },
  'cohere-chat': (events) => {
    const parts = events.map(({ delta }) => delta?.message?.content);
    const calls = events.map(({ delta }) => delta?.message?.tool_calls?.function?.arguments);
    return [join(parts.map((part) => part?.thinking)), join(parts.map((part) => part?.text)), JSON.parse(join(calls))];
  },
  'google-interactions': (events) => {
    const deltas = events.map(({ delta }) => delta);
    const input = join(deltas.map((delta) => delta?.arguments));
    return [
      join(deltas.map((delta) => delta?.content?.text)),
      join(deltas.map((delta) => delta?.text)),
      JSON.parse(input),
    ];
  },
};

describe.each(protocols)('%s', (protocol) => {
  test('the stream says what the whole reply says', async () => {
    const emulator = await start();
    emulator.script(protocol, [reply, reply]);
    const { answer } = await ask(emulator, protocol, hello[protocol]);
    const events = eventsOf(await (await streamOf(emulator, protocol, hello[protocol])).text());
    expect(whole[protocol](answer)).toEqual([
      'Let me think about that for a while.',
      'Here is what I found, and it is rather long. ✨',
      { term: 'fjord', n: Number('12345678901234567890') },
    ]);
    expect(streamed[protocol](events)).toEqual(whole[protocol](answer));
    expect(events.length).toBeGreaterThan(10);
  });

  test('arguments and unknown values keep their exact text', async () => {
    const emulator = await start();
    emulator.script(protocol, { ...reply, extra: { block: { weight: rawJson('1.50') } } });
    const text = await (await post(emulator, protocol, hello[protocol])).text();
    expect(text).toContain('"weight":1.50');
    expect(text.replaceAll('\\"', '"')).toContain('{"term": "fjord",  "n": 12345678901234567890}');
  });

  test('unknown fields stand at every level of both forms', async () => {
    const emulator = await start();
    const levels = ['envelope', 'message', 'block', 'part', 'choice', 'usage', 'delta', 'event'] as const;
    const extra = Object.fromEntries(levels.map((level) => [level, { [`x_${level}`]: level }]));
    const events = [
      { after: 1, event: 'future_event', data: { type: 'future_event' } },
      { after: 0, comment: 'keep-alive' },
    ];
    emulator.script(protocol, [
      { ...reply, extra, events },
      { ...reply, extra, events },
    ]);
    const json = await (await post(emulator, protocol, hello[protocol])).text();
    const options = protocol === 'openai-chat' ? { stream_options: { include_usage: true } } : {};
    const stream = await (await streamOf(emulator, protocol, { ...hello[protocol], ...options })).text();
    const none: Readonly<Record<Protocol, readonly string[]>> = {
      'anthropic-messages': ['part', 'choice'],
      'openai-chat': [],
      'openai-responses': ['choice', 'delta'],
      'google-generatecontent': ['delta'],
      // Blocks have no start that could carry them.
      'bedrock-converse': ['part', 'choice', 'block'],
      'cohere-chat': ['part', 'choice'],
      'google-interactions': ['message', 'choice'],
    };
    const found = (text: string) => levels.filter((level) => text.includes(`"x_${level}":"${level}"`));
    const expected = levels.filter((level) => !none[protocol].includes(level));
    expect(found(stream)).toEqual(expected);
    const inBody = protocol === 'bedrock-converse' ? levels.filter((level) => level === 'block') : [];
    expect(new Set(found(json))).toEqual(
      new Set([...expected.filter((level) => level !== 'delta' && level !== 'event'), ...inBody]),
    );
    expect(stream.startsWith(': keep-alive')).toBe(protocol !== 'bedrock-converse');
    expect(stream).toContain('event: future_event');
  });
});

test('alternatives are further choices and candidates', async () => {
  const emulator = await start();
  const alternatives = [[{ type: 'text', text: 'Or this.' }]] as const;
  const blocks = [{ type: 'text', text: 'This.' }] as const;
  emulator.script('openai-chat', { blocks, alternatives });
  emulator.script('google-generatecontent', { blocks, alternatives });
  const chat = await ask(emulator, 'openai-chat', { ...hello['openai-chat'], n: 2 });
  expect(chat.answer.choices).toMatchObject([{ message: { content: 'This.' } }, { message: { content: 'Or this.' } }]);
  const google = await ask(emulator, 'google-generatecontent', hello['google-generatecontent']);
  expect(google.answer.candidates).toMatchObject([
    { index: 0 },
    { index: 1, content: { parts: [{ text: 'Or this.' }] } },
  ]);
});

test('stop reasons and refusals are told in each protocol', async () => {
  const emulator = await start();
  for (const protocol of protocols) {
    emulator.script(protocol, [
      { blocks: [{ type: 'text', text: 'Cut' }], stop: 'max-tokens' },
      { blocks: [{ type: 'refusal', text: 'No.' }], stop: 'refusal' },
      { blocks: [{ type: 'text', text: 'Odd' }], nativeStop: 'future_reason' },
    ]);
  }
  const all = async () =>
    Promise.all(
      protocols.map(async (protocol) => JSON.stringify((await ask(emulator, protocol, hello[protocol])).answer)),
    );
  expect(await all()).toEqual([
    expect.stringContaining('"stop_reason":"max_tokens"'),
    expect.stringContaining('"finish_reason":"length"'),
    expect.stringContaining('"incomplete_details":{"reason":"max_output_tokens"}'),
    expect.stringContaining('"finishReason":"MAX_TOKENS"'),
    expect.stringContaining('"stopReason":"max_tokens"'),
    expect.stringContaining('"finish_reason":"MAX_TOKENS"'),
    expect.stringContaining('"status":"incomplete"'),
  ]);
  expect(await all()).toEqual([
    expect.stringContaining('"stop_reason":"refusal"'),
    expect.stringContaining('"refusal":"No."'),
    expect.stringContaining('{"type":"refusal","refusal":"No."}'),
    expect.stringContaining('"finishReason":"SAFETY"'),
    expect.stringContaining('"stopReason":"content_filtered"'),
    expect.stringContaining('"text":"No."'),
    expect.stringContaining('"text":"No."'),
  ]);
  for (const text of await all()) expect(text).toContain('future_reason');
});
