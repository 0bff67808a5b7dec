import { expect, it } from 'vitest';
import { assistant, type Message, toolResult, user } from '../../message/index.ts';
import {
  anthropicMessages,
  blocks,
  googleGenerateContent,
  openaiChat,
  openaiResponses,
  writeRequest,
} from '../index.ts';
import { bedrockConverse, cohereChat, googleInteractions } from '../more.ts';

const sent = (answer: Message) =>
  writeRequest(anthropicMessages, {
    model: 'claude-sonnet-4-5',
    messages: [user('Hi'), answer, toolResult('a', 'x')],
  });

it.each([
  [
    'a call of Bedrock',
    bedrockConverse,
    '{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]}',
  ],
  [
    'a custom call',
    openaiChat,
    '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"custom","custom":{"name":"f","input":"ls"}}]}',
  ],
])('%s that is sent elsewhere as it was is no loss', (_, from, raw) => {
  expect(sent(from.parseMessage(raw)).losses).toEqual([]);
});

it('what Bedrock says in blocks is not named as a field that nobody knows', () => {
  const thought = '{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s"}}}';
  const cited = '{"citationsContent":{"content":[{"text":"Yes"}],"citations":[{"title":"A"}]}}';
  const call = '{"toolUse":{"toolUseId":"a","name":"f","input":{}}}';
  const { losses } = sent(
    bedrockConverse.parseMessage(`{"role":"assistant","content":[${thought},${cited},${call}],"new":1}`),
  );
  expect(losses.map(({ reason, detail }) => [reason, detail])).toEqual([
    ['foreign-reasoning', undefined],
    ['citations', undefined],
    ['unknown-field', 'new'],
  ]);
});

it('half a character in arguments is replaced, and told', () => {
  const raw =
    '{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\\"x\\":\\"half \\ud83d\\"}"}}]}';
  const { body, losses } = sent(openaiChat.parseMessage(raw));
  expect(body).toContain('"input":{"x":"half \ufffd"}');
  expect(losses).toEqual([{ kind: 'rewritten', message: 1, path: 'content[0].parameters', reason: 'surrogate' }]);
});

it('a call inside a result is not left out silently', () => {
  const call = '{"type":"tool-use","id":"b","name":"f","parameters":{}}';
  const result = `{"type":"tool-result","toolCallId":"a","isError":false,"content":[${call}]}`;
  const { losses } = writeRequest(anthropicMessages, {
    model: 'claude-sonnet-4-5',
    messages: [
      user('Hi'),
      blocks.parseMessage('{"role":"assistant","content":[{"type":"tool-use","id":"a","name":"f","parameters":{}}]}'),
      blocks.parseMessage(`{"role":"user","content":[${result}]}`),
    ],
  });
  expect(losses).toEqual([{ kind: 'dropped', message: 2, path: 'content[0].content[0]', reason: 'unknown-block' }]);
});

const ELSEWHERE = { issuer: 'gateway.example' } as const;
const ask = (...messages: Message[]) => writeRequest(anthropicMessages, { model: 'claude-sonnet-4-5', messages });
const reasons = ({ losses }: ReturnType<typeof ask>) => losses.map(({ path, reason }) => `${path} ${reason}`);

it.each([
  ['gs://bucket/a.png', false],
  ['gs://bucket/https://a.png', false],
  ['http://example.com/a.png', true],
  ['https://example.com/?data:image/gif;base64,R0lG', true],
])('an image that another provider knows as %s is sent: %s', (uri, isSent) => {
  const part = `{"fileData":{"mimeType":"image/png","fileUri":"${uri}"}}`;
  const { body } = ask(
    googleGenerateContent.parseMessage(`{"role":"user","parts":[{"text":"See"},${part}]}`, ELSEWHERE),
  );
  expect(body.includes(`"source":{"type":"url","url":"${uri}"}`)).toBe(isSent);
});

it.each(['image/gif2', 'audio/*'])('%s is not taken for a type that is taken', (mediaType) => {
  const source = { kind: 'url', url: 'https://example.com/a' } as const;
  expect(
    reasons(
      ask(
        user([
          { type: 'text', text: 'See' },
          { type: 'media', mediaType, source },
        ]),
      ),
    ),
  ).toEqual(['content[1] unsupported-media']);
});

it.each([
  ['null', 'unknown-block'],
  ['{"to":1,"ol":2}', 'unknown-block'],
  ['{"tool":1}', 'server-tool'],
])('%s is left out as %s', (native, reason) => {
  const messages = [
    user('Hi'),
    assistant([
      { type: 'text', text: 'Yes' },
      { type: 'unknown', native },
    ]),
    user('So?'),
  ];
  expect(reasons(ask(...messages))).toEqual([`content[1] ${reason}`]);
});

it('of a reply that was cut, only the last call may lack its arguments', () => {
  const call = (id: string, input: string) => `{"type":"tool_use","id":"${id}","name":"f","input":${input}}`;
  const raw = (...calls: string[]) =>
    anthropicMessages.parseMessage(`{"role":"assistant","content":[{"type":"text","text":"Yes"},${calls}]}`, {
      ...ELSEWHERE,
      cut: true,
    });
  const idsOf = ({ body }: ReturnType<typeof ask>) => [...body.matchAll(/"id":"(\w)"/g)].map(([, id]) => id);
  expect(idsOf(ask(user('Hi'), raw(call('a', '" "'), call('b', '{"x":1}')), user('So?')))).toEqual(['a', 'b']);
  expect(idsOf(ask(user('Hi'), raw(call('a', '{}'), call('b', '" "')), user('So?')))).toEqual(['a']);
});

it('blank arguments are none', () => {
  const raw = '{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":" "}}]}';
  const { body, losses } = sent(openaiChat.parseMessage(raw));
  expect(body).toContain('"input":{}');
  expect(losses).toEqual([]);
});

it('an empty text beside another in a result is a loss', () => {
  const call = '{"type":"tool-use","id":"a","name":"f","parameters":{}}';
  const result = (content: string) => `{"type":"tool-result","toolCallId":"a","isError":false,"content":[${content}]}`;
  const message = (role: string, ...content: string[]) =>
    blocks.parseMessage(`{"role":"${role}","content":[${content}]}`);
  const texts = result('{"type":"text","text":""},{"type":"text","text":"x"}');
  expect(reasons(ask(user('Hi'), message('assistant', call), message('user', texts)))).toEqual([
    'content[0].content[0] empty',
  ]);
});

it('that signatures are lost is told beside other losses', () => {
  const call = '{"functionCall":{"name":"f","args":{}},"thoughtSignature":"s"}';
  const raw = `{"role":"model","parts":[${call},{"executableCode":{}}]}`;
  expect(reasons(sent(googleGenerateContent.parseMessage(raw, ELSEWHERE)))).toEqual(
    expect.arrayContaining(['content[1] server-tool', ' foreign-reasoning']),
  );
});

const TARGETS = [
  { dialect: anthropicMessages, model: 'claude-sonnet-4-5' },
  { dialect: googleGenerateContent, model: 'gemini-2.5-flash' },
  { dialect: openaiChat, model: 'gpt-4o' },
  { dialect: openaiResponses, model: 'gpt-5.2' },
  { dialect: bedrockConverse, model: 'us.amazon.nova-pro-v1:0' },
  { dialect: cohereChat, model: 'command-a-03-2025' },
  { dialect: googleInteractions, model: 'gemini-3.6-flash' },
];

it.each(TARGETS)(
  'results in the answer that calls are sent behind it, with their images: $dialect.id',
  ({ dialect, model }) => {
    const image = '{"type":"media","mediaType":"image/png","source":{"kind":"base64","data":"aW1n"}}';
    const raw = `{"role":"assistant","content":[
    {"type":"tool-use","id":"a","name":"f","parameters":{}},
    {"type":"tool-result","toolCallId":"a","isError":false,"content":[{"type":"text","text":"It shows:"},${image}]},
    {"type":"text","text":"Yes"}]}`;
    const { body, losses } = writeRequest(dialect, {
      model,
      messages: [user('See'), blocks.parseMessage(raw), user('So?')],
    });
    expect(body).not.toContain('earlier tool call');
    const places = ['See', 'Yes', 'It shows:', 'aW1n', 'So?'].map((text) => body.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(losses.map(({ reason }) => reason)).toContain('reordered');
    expect(losses.map(({ kind }) => kind)).not.toContain('dropped');
  },
);

it.each(TARGETS)(
  'a call in a question is left out, and told, instead of breaking the request: $dialect.id',
  ({ dialect, model }) => {
    const call = '{"type":"tool_use","id":"a","name":"find","input":{}}';
    const raw = `{"role":"user","content":[{"type":"text","text":"Hi"},${call}]}`;
    const messages = [anthropicMessages.parseMessage(raw, ELSEWHERE)];
    const { body, losses } = writeRequest(dialect, { model, messages, tools: TOOLS });
    expect(body).toBe(writeRequest(dialect, { model, messages: [user('Hi')], tools: TOOLS }).body);
    expect(losses).toEqual([{ kind: 'dropped', message: 0, path: 'content[1]', reason: 'unknown-block' }]);
  },
);

const TOOLS = [{ name: 'find', parameters: { type: 'object' } }];
