import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashWhole } from './describe-request.ts';
import { RequestHashes } from './request-hashes.ts';

const url = new URL('https://api.openai.com/v1/chat/completions?b=1&a=2');
const prose = (seed: number) => `${seed} — half of what “people” say, or \\ill say\n`.repeat(30);

/** Hashes texts one after the other, as text and as bytes, and compares with the hashes of each alone. */
function compareAll(texts: readonly string[]): void {
  const [ofText, ofBytes] = [new RequestHashes(), new RequestHashes()];
  for (const text of texts) {
    const body = { text, exact: text };
    const bytes = { text, exact: Buffer.from(text) };
    const expected = hashWhole('POST', url, body);
    expect(ofText.hash('POST', url, body)).toEqual(expected);
    expect(ofBytes.hash('POST', url, bytes)).toEqual(expected);
  }
}

/** The requests of a conversation, each with two messages more. */
function conversation(turns: number, write: (messages: readonly unknown[]) => string): string[] {
  const messages: unknown[] = [];
  return Array.from({ length: turns }, (_, turn) => {
    messages.push(
      { role: 'user', content: prose(turn) },
      { role: 'assistant', content: [{ text: prose(turn) }], n: 0 },
    );
    return write(messages);
  });
}

test('a request that goes on from an earlier one has the same hashes as alone', () => {
  compareAll(
    conversation(8, (messages) => JSON.stringify({ model: 'm', messages, stream: true, a: { z: 1, b: [2] } })),
  );
  compareAll(
    conversation(8, (messages) => JSON.stringify({ tools: [{ name: 'x' }], z: 1.5, input: messages }, null, 2)),
  );
});

test('two conversations in turn, one with another setting, and one that goes back', () => {
  const one = conversation(6, (messages) => JSON.stringify({ model: 'm', messages }));
  const other = conversation(6, (messages) =>
    JSON.stringify({ model: 'm', messages: [{ role: 'system' }, ...messages] }),
  );
  compareAll(one.flatMap((text, at) => [text, other[at]!]));
  compareAll([...one, one[2]!, one[3]!, one[3]!, one[5]!]);
  compareAll(one.map((text, at) => (at < 3 ? text : text.replace(/\}$/, `,"temperature":${at},"a":${at}}`))));
});

test('a history whose name comes twice, numbers that a double does not hold, and texts that are no JSON', () => {
  const texts = conversation(5, (messages) => JSON.stringify({ model: 'm', messages }));
  const behind = (text: string) => texts.map((one, at) => (at < 3 ? one : one.replace(/\}$/, text)));
  compareAll(behind(',"messages":[1]}'));
  compareAll(behind(',"mess\\u0061ges":[1]}'));
  compareAll(behind(',"model":"other"}'));
  compareAll(behind(',"seed":12345678901234567890}'));
  compareAll(behind(',"__proto__":{"a":1}}'));
  compareAll(behind(''));
  compareAll(behind('}}'));
  compareAll(texts.map((one, at) => (at < 3 ? one : one.slice(0, -at))));
  const numbers = Array.from({ length: 600 }, (_, at) => at);
  compareAll([500, 501, 510, 600].map((count) => JSON.stringify({ input: numbers.slice(0, count) })));
  compareAll([
    `{"input":[${numbers}]}`,
    `{"input":[${numbers},1]}`,
    `{"input":[${numbers},12]}`,
    `{"input":[${numbers},1234]}`,
  ]);
});

test('whatever requests come one after the other, their hashes are those of each alone', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const extra = fc.dictionary(fc.constantFrom('a', 'messages', 'model', 'n', 'stream', 'z'), value, { maxKeys: 3 });
  const request = fc.record({ take: fc.nat(8), front: extra, behind: extra, space: fc.constantFrom(0, 1) });
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 8, maxLength: 8 }),
      fc.array(request, { maxLength: 8 }),
      (all, requests) => {
        const history = [{ role: 'user', content: prose(1) }, ...all];
        compareAll(
          requests.map(({ take, front, behind, space }) => {
            const messages = history.slice(0, take + 1);
            return JSON.stringify({ ...front, messages, ...behind }, null, space);
          }),
        );
      },
    ),
  );
});
