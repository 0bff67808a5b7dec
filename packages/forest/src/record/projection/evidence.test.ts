import { dialect, type Message } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { ECHO_START } from '../../model/echo.ts';
import { sha256 } from '../../model/ids.ts';
import {
  createQuoteFinder,
  extendSent,
  questionBefore,
  readIssuedIds,
  systemKeys,
  toPassages,
  turnKey,
} from './evidence.ts';

const chat = (...messages: readonly object[]): readonly Message[] =>
  dialect('openai-chat').readRequest(JSON.stringify({ model: 'm', messages }), {}).messages;
const anthropic = (...messages: readonly object[]): readonly Message[] =>
  dialect('anthropic-messages').readRequest(JSON.stringify({ model: 'm', max_tokens: 1, messages }), {}).messages;

describe('ids in a reply prove that it comes back', () => {
  const ids = (...content: readonly object[]) => readIssuedIds(anthropic({ role: 'assistant', content })[0]!);

  test.each(['id', 'call_id', 'signature', 'encrypted_content', 'thoughtSignature', 'thought_signature'])(
    'where they stand under the name %s',
    (name) => {
      expect(ids({ type: 'x', [name]: 'abcdefg1' })).toEqual(['abcdefg1']);
    },
  );

  test.each(['redacted_thinking', 'encrypted'])('also as the data of a part that is %s', (type) => {
    expect(ids({ type, data: 'abcdefg1' })).toEqual(['abcdefg1']);
  });

  test.each([['image'], [7], [undefined]])('but not as the data of another part: %s', (type) => {
    expect(ids({ type, data: 'abcdefg1' })).toEqual([]);
  });

  test('under no other name', () => {
    expect(ids({ type: 'x', name: 'abcdefg1', text: 'abcdefg2', id: 'abcdefg3' })).toEqual(['abcdefg3']);
    expect(ids({ type: 'redacted_thinking', text: 'abcdefg2', data: 'abcdefg3' })).toEqual(['abcdefg3']);
  });

  test.each(['input', 'args', 'arguments', 'parameters', 'output', 'response', 'result'])(
    'not where a model or a tool wrote them: %s',
    (name) => {
      expect(ids({ type: 'x', [name]: { id: 'abcdefg1' } })).toEqual([]);
      expect(ids({ type: 'x', inside: [null, { deep: { id: 'abcdefg1' } }] })).toEqual(['abcdefg1']);
    },
  );

  test.each([
    ['seven letters and digits', 'call_abcdef1', false],
    ['eight letters and digits', 'call_abcdefg1', true],
    ['eight digits', '12345678', true],
    ['a digit in front', '1ABCDEFG', true],
    ['eight letters', 'call_abcdefgh', false],
    ['a digit elsewhere', 'a1_abcdefgh', false],
    ['fifteen letters', 'abcdefghijklmno', false],
    ['sixteen letters', 'abcdefghijklmnop', true],
    ['sixteen letters in two parts', 'abcdefgh-ijklmnop', false],
    ['39 signs', '-'.repeat(39), false],
    ['40 signs', '-'.repeat(40), true],
  ])('only if they are unlikely to be issued twice: %s', (_what, id, counts) => {
    expect(ids({ type: 'x', id })).toEqual(counts ? [id] : []);
  });

  test('a long one by its hash', () => {
    const [fits, long] = ['a1'.repeat(32), `${'a1'.repeat(32)}b`];
    expect(ids({ type: 'x', id: fits, signature: long })).toEqual([fits, sha256(long).slice(0, 32)]);
  });

  test('without the name of the tool that Gemini CLI puts in front', () => {
    expect(ids({ type: 'x', name: 'look', id: 'look__toolu_01c33355' })).toEqual(['toolu_01c33355']);
    expect(ids({ type: 'x', name: 'find', id: 'look__toolu_01c33355' })).toEqual(['look__toolu_01c33355']);
    expect(ids({ type: 'x', name: 7, id: '7__toolu_01c33355' })).toEqual(['7__toolu_01c33355']);
  });

  test('each once', () => {
    expect(ids({ type: 'x', id: 'abcdefg1' }, { type: 'x', call_id: 'abcdefg1' })).toEqual(['abcdefg1']);
  });

  test('a name in a text is none', () => {
    expect(ids({ type: 'text', text: 'The id is "id": "abcdefg1"' })).toEqual([]);
  });
});

test('keys of system texts are short, and numbers with signs between them are one', () => {
  const { dated, numbered } = systemKeys(['You are version 1.2.3-4.']);
  expect([dated, numbered]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/^[0-9a-f]{16}$/)]);
  expect(systemKeys(['You are version 77.']).numbered).toBe(numbered);
});

describe('a turn', () => {
  const [question, more, answer, other] = [
    { role: 'user', content: 'A' },
    { role: 'user', content: 'B' },
    { role: 'assistant', content: 'C' },
    { role: 'assistant', content: 'D' },
  ];
  const system = { role: 'system', content: 'S' };

  test('has the messages since the reply before it, without system texts', () => {
    const messages = chat(question!, answer!, more!, system, question!, other!);
    const texts = (index: number) => questionBefore(messages, index).map(({ text }) => text);
    expect(texts(5)).toEqual(['B', 'A']);
    expect(texts(1)).toEqual(['A']);
    expect(texts(0)).toEqual([]);
  });

  test('is another one with another question or another reply', () => {
    const key = (...messages: readonly object[]) => {
      const read = chat(...messages);
      return turnKey(read.slice(0, -1), read.at(-1)!);
    };
    const keys = [key(question!, answer!), key(more!, answer!), key(question!, other!), key(question!, more!, answer!)];
    expect(new Set(keys).size).toBe(keys.length);
    expect(key(question!, answer!)).toBe(keys[0]);
  });

  test('counts results that are sent twice in one message once, and nothing else', () => {
    const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });
    const text = { type: 'text', text: 'Go on.' };
    const echo = (...content: readonly object[]) =>
      extendSent(ECHO_START, anthropic({ role: 'user', content })[0]!).text;
    const [one, two] = [result('a', 'found'), result('b', 'lost')];
    expect(echo(one, one, two, two)).toBe(echo(one, two));
    expect(echo(one, two)).not.toBe(echo(one));
    expect(echo(one, one, text, text)).toBe(echo(one, text, text));
    expect(echo(one, one, text, text)).not.toBe(echo(one, text));
    expect(echo(one, result('a', 'lost'))).not.toBe(echo(one));
  });
});

describe('system texts', () => {
  const dated = (text: string) => systemKeys([text]).dated;
  const numbered = (text: string) => systemKeys([text]).numbered;

  test.each([
    ...['2026-11-16', '2026-1-2', '2026-11-16T19:02', '2026-11-16 9:02', '2026-11-16T19:02:03Z'],
    ...['2026-11-16T19:02:03.123456Z', '2026-11-16t19:02+01:00', '2026-11-16T19:02:03-0130'],
    ...['16.11.2026', '16/11/2026', '2026/11/16', '1.2.26', '11/16/26'],
    ...['16 November 2026', '16th of November, 2026', '1st november', 'Nov 16', 'Nov. 16, 2026', 'November 16th 2026'],
    ...['January', 'february', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'December'],
    ...['jan', 'feb', 'mar', 'apr', 'jun', 'jul', 'aug', 'sep', 'sept', 'oct', 'dec', '2nd dec', '3rd  of  dec'],
    ...['Monday', 'tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
    ...['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
    ...['19:02', '9:02', '19:02:03', '19:02:03.25', '7:02 pm', '7:02pm', '7:02 a.m.', '7 pm', '11AM'],
    ...[
      'Monday, 16 November 2026, 19:02 UTC',
      'Mon 16 Nov 2026 at 7 pm',
      '2026-11-16, 19:02 GMT',
      '2026-11-16 - 19:02',
    ],
    ...['Nov 16, 2026 / 7:02 p.m. + 01:00', '19:02 t 2026-11-16 z'],
  ])('with another date are the same: %s', (date) => {
    expect(dated(`Today it is ${date} and you mend bridges.`)).toBe(
      dated('Today it is 1999-12-31 and you mend bridges.'),
    );
  });

  test.each([
    ...['4711', '2026', '1.2', '1.2/3', '12:3', '123:45', '7', 'pm', 'marching', 'mayor', 'junk', 'sunny', 'monk'],
    ...['Decembers', '20261-11-16', '2026-111-16', '2026-11-161', '16 bridges', '16th', 'utc', 'at'],
  ])('with another word or number are not: %s', (word) => {
    expect(dated(`Today it is ${word} and you mend bridges.`)).not.toBe(
      dated('Today it is 1999-12-31 and you mend bridges.'),
    );
  });

  test('with a date and without one are not the same', () => {
    expect(dated('Now 19:02.')).not.toBe(dated('Now .'));
    expect(dated('Meet 19:02 utcs')).not.toBe(dated('Meet 19:02 s'));
  });

  test('in other lines, or with other space, are the same', () => {
    expect(dated('  You mend\n\n bridges. ')).toBe(dated('You mend bridges.'));
    expect(dated('You mend bridges.')).not.toBe(dated('Youmendbridges.'));
    expect(systemKeys(['You mend', 'bridges.'])).toEqual(systemKeys(['You mend bridges.']));
  });

  test.each([
    ...['4711', '5', '0', '12345678-9abc-def0-1234-56789abcdef0', 'ABCDEFAB-cdef-abcd-efab-cdefabcdefab'],
    ...[
      '9f04c2e1',
      'deadbeef1',
      '1dea',
      '4711 pm',
      '12 am',
      '12 utc',
      '7 gmt',
      '3rd',
      '4th',
      '1st',
      '2nd',
      '5 z',
      '5 t',
    ],
    ...['1.5', '1,000', '10/20', '3 - 5', '1:2', '7 + 8'],
  ])('with another number are the same without their numbers: %s', (number) => {
    const [one, two] = [`Customer ${number} waits.`, 'Customer 42 waits.'];
    expect(numbered(one)).toBe(numbered(two));
    expect(dated(one)).not.toBe(dated(two));
  });

  test.each(['deadbeef', 'dea', 'abc-def', 'x', 'dead beef', '', '42 and 43', '42 utcs'])(
    'with another word are not the same without their numbers: %s',
    (word) => {
      expect(numbered(`Customer ${word} waits.`)).not.toBe(numbered('Customer 42 waits.'));
    },
  );
});

describe('a quote of a reply', () => {
  const words = Array.from({ length: 120 }, (_, at) => `w${at * at * 7919}`).join(' ');
  const reply = words.slice(0, 500);
  const finds = (text: string, of = reply) => createQuoteFinder(text)(toPassages(of)!);

  test('of 200 characters is found wherever it begins and ends', () => {
    for (let from = 0; from + 200 <= 480; from += 7)
      expect(finds(`Then I said: ${reply.slice(from, from + 200)}! And so on.`), String(from)).toBe(true);
    expect(finds(reply.slice(0, 160))).toBe(true);
  });

  test('that is shorter is not found', () => {
    expect(finds(reply.slice(0, 159))).toBe(false);
    expect(finds(`${reply.slice(40, 160)} and ${reply.slice(200, 320)}`)).toBe(false);
    expect(finds(reply.slice(0, 30))).toBe(false);
    expect(finds('')).toBe(false);
  });

  test('in other lines is found', () => {
    expect(finds(`- ${reply.slice(0, 300).replaceAll(' ', '\n\t')}`)).toBe(true);
    expect(finds(reply, `\n${reply.replaceAll(' ', '  ')}`)).toBe(true);
  });

  test('needs a reply of 200 characters, without the space in it', () => {
    expect(toPassages(reply.slice(0, 199).trim().padEnd(199, 'x'))).toBeUndefined();
    expect(toPassages(reply.slice(0, 199).trim().padEnd(200, 'x'))).toHaveLength(5);
    expect(toPassages(`x${' '.repeat(300)}x`)).toBeUndefined();
    expect(toPassages(` ${reply.slice(0, 199).trim().padEnd(199, 'x')}\n`)).toBeUndefined();
    expect(toPassages(words.slice(0, 239).trim().padEnd(239, 'x'))).toHaveLength(5);
  });
});
