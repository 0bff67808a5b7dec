import { describe, expect, it } from 'vitest';
import { assistant, BlocksMessageError, beginsWith, blocksMessage, system, toolResult, user } from './index.ts';
import { checkMessages } from './message.ts';

describe('messages a person writes', () => {
  it('are born as content-block JSON whose bytes never vary', () => {
    expect(user('Hi').raw).toBe('{"role":"user","content":[{"type":"text","text":"Hi"}]}');
    expect(system('Be brief').raw).toBe('{"role":"system","content":[{"type":"text","text":"Be brief"}]}');
    expect(toolResult('call_1', 'Sunny').raw).toBe(
      '{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"Sunny"}]}',
    );
    expect(toolResult('call_1', 'No', { isError: true }).toolResults[0]).toMatchObject({ isError: true });
  });

  it('show ordered blocks', () => {
    const message = assistant([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-use', id: 'c', name: 'f', parameters: { n: 1 }, rawParameters: '{"n":2512292042121000001}' },
      { type: 'text', text: ' Done.' },
    ]);
    expect(message.content.map((block) => block.type)).toEqual(['text', 'tool-use', 'text']);
    expect(message.text).toBe('Let me look. Done.');
    expect(message.toolUses[0]?.rawParameters).toBe('{"n":2512292042121000001}');
    expect(message.raw).toContain('"parameters":{"n":2512292042121000001}');
  });

  it('are frozen through and through', () => {
    const message = assistant([
      { type: 'tool-use', id: 'c', name: 'f', parameters: {}, rawParameters: '{"a":{"b":[1]}}' },
    ]);
    expect(Object.isFrozen(message)).toBe(true);
    expect(Object.isFrozen(message.content[0])).toBe(true);
    expect(Object.isFrozen(message.toolUses[0]?.parameters.a)).toBe(true);
  });

  it('have one explicit form when there is nothing to say', () => {
    for (const message of [assistant(''), assistant([]), toolResult('c', ''), toolResult('c', [])]) {
      expect(message.raw).toContain('"content":[{"type":"text","text":""}]');
      expect(message.text).toBe('');
    }
  });

  it('parse their text once, on first use', () => {
    const message = user('Hi');
    expect(message.content).toBe(message.content);
    expect(message.facts).toBe(message.facts);
  });

  it('serialise as their text and origin', () => {
    const message = user('Hi');
    expect(JSON.parse(JSON.stringify(message))).toEqual({
      raw: message.raw,
      origin: { dialect: 'blocks', issuer: 'skein' },
    });
  });
});

describe('the rules of content-block JSON', () => {
  it.each([
    ['{"role":"user","content":[]}', 'non-empty array'],
    ['{"role":"user","content":"Hi"}', 'non-empty array'],
    ['{"role":"robot","content":[{"type":"text","text":"Hi"}]}', 'the role is "robot"'],
    [
      '{"role":"user","content":[{"type":"tool-use","id":"c","name":"f","parameters":{}}]}',
      'only assistant messages may hold',
    ],
    ['{"role":"tool","content":[{"type":"text","text":"x"}]}', 'tool_call_id'],
    ['[]', 'not an object'],
  ])('%s is refused with what is wrong', (raw, problem) => {
    expect(() => blocksMessage(raw)).toThrow(BlocksMessageError);
    expect(() => blocksMessage(raw)).toThrow(problem);
  });

  it('keep a block of a later version as unknown', () => {
    const message = blocksMessage('{"role":"user","content":[{"type":"hologram","depth":1.0}, 7]}');
    expect(message.content).toEqual([
      { type: 'unknown', native: '{"type":"hologram","depth":1.0}' },
      { type: 'unknown', native: '7' },
    ]);
  });

  it('carry every kind of block there and back', () => {
    const content = [
      { type: 'text', text: 'a', citations: [{ url: 'https://x.test', native: '{"url":"https://x.test","n":1.0}' }] },
      { type: 'reasoning', text: 'hm', redacted: false },
      { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' }, name: 'x.png' },
      { type: 'media', mediaType: 'image/*', source: { kind: 'url', url: 'https://x.test/y' } },
      { type: 'refusal', text: 'no' },
      { type: 'tool-use', id: 'c', name: 'f', parameters: {}, rawParameters: '{}' },
      { type: 'unknown', native: '{"type":"new"}' },
    ] as const;
    expect(assistant(content).content).toEqual(content);
  });
});

it('a list is taken for the one that it grew from, and for no other', () => {
  const [one, two, three] = ['1', '2', '3'].map((text) => user(text)) as [
    ReturnType<typeof user>,
    ...ReturnType<typeof user>[],
  ];
  const [short, other, long] = [
    [one, two!],
    [one, three!],
    [one, two!, three!],
  ].map(checkMessages);
  for (const _ of 'twice') expect([beginsWith(long!, short!), beginsWith(long!, other!)]).toEqual([true, false]);
  expect(beginsWith(short!, long!)).toBe(false);
  const changing = [one, two!];
  expect(beginsWith(changing, short!)).toBe(true);
  changing[1] = three!;
  expect(beginsWith(changing, short!)).toBe(false);
});
