import { type StandardSchema, tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { ask, bodies, chat, expectAccepted, start, WAYS } from './kit.ts';

const LARGE = '2512292042121000001';
const call = { blocks: [{ type: 'tool-use', name: 'find_order', input: `{"number": ${LARGE}, "page":2}` }] } as const;

describe.each(WAYS)('$protocol, stream: $stream', ({ api, protocol, stream }) => {
  test('an integer that no double holds reaches the tool and goes back unchanged', async () => {
    const emulator = await start();
    emulator.script(protocol, [call, says('Found.')]);
    const seen: unknown[] = [];
    const find = tool({
      name: 'find_order',
      input: { type: 'object', properties: { number: { type: 'integer' }, page: { type: 'integer' } } },
      execute: (input) => {
        seen.push(input);
        return input;
      },
    });
    const result = await ask(emulator, api, { messages: [user('Find it.')], tools: [find], stream }).result;
    expect(seen).toEqual([{ number: BigInt(LARGE), page: 2 }]);
    expect(result.messages[1]?.text).toBe(`{"number":${LARGE},"page":2}`);
    const sent = bodies(emulator)[1]!;
    expect(sent.split(LARGE)).toHaveLength(3);
    expectAccepted(emulator);
  });
});

/** What a schema library would bring. */
const schema = (accepts: (value: unknown) => boolean): StandardSchema<unknown> => ({
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      accepts((value as { number: unknown }).number)
        ? { value }
        : { issues: [{ message: 'not a number that fits', path: [{ key: 'number' }] }] },
  },
});

describe('by a schema of a library', () => {
  test.each([
    ['bigint', BigInt(LARGE)],
    ['string', LARGE],
  ])('it comes as %s where that is taken', async (type, expected) => {
    const emulator = await start();
    emulator.script(chat.protocol, [call, says('Found.')]);
    let seen: unknown;
    const find = tool({
      name: 'find_order',
      input: schema((value) => typeof value === type),
      parameters: { type: 'object', properties: { number: {} } },
      execute: (input) => {
        seen = input;
        return 'ok';
      },
    });
    await ask(emulator, chat, { messages: [user('Find it.')], tools: [find] }).result;
    expect(seen).toEqual({ number: expected, page: 2 });
  });

  test('it is refused where neither is', async () => {
    const emulator = await start();
    emulator.script(chat.protocol, [call, says('Sorry.')]);
    const find = tool({
      name: 'find_order',
      input: schema((value) => typeof value === 'number'),
      parameters: { type: 'object' },
      execute: () => 'never',
    });
    const { messages } = await ask(emulator, chat, { messages: [user('Find it.')], tools: [find] }).result;
    expect(messages[1]?.text).toContain('- number: not a number that fits');
  });
});
