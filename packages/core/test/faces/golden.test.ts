import { readdirSync, readFileSync } from 'node:fs';
import { Chat, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { bodies, expectAccepted, start } from '../run/kit.ts';

/** States as they were written once. They stay here for ever: who has one can always go on from it. */
const folder = new URL('./golden/', import.meta.url);
const states = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8').trim() }));

const modelFor = (name: string) => (name.includes('anthropic') ? 'anthropic/claude-opus-5-5' : 'openai-chat/gpt-5.5');

describe('every version of a state', () => {
  test.each(states)('$name is read, whole and exactly', async ({ name, text }) => {
    const emulator = await start();
    emulator.register('anthropic-messages', { field: 'text.x_new' });
    const chat = new Chat({ model: modelFor(name), env: emulator.env(), onMismatch: 'throw' });
    const result = await chat.chatWithState(text, [user('And tomorrow?')]);
    expect(result.discarded).toBeUndefined();
    expect(result.text).toBe('Echo: And tomorrow?');
    const value = JSON.parse(text);
    const raws: string[] =
      value.version === 1 ? rawsIn(text) : value.list.messages.map(({ raw }: { raw: string }) => raw);
    const after = JSON.parse(result.state).list.messages.map(({ raw }: { raw: string }) => raw);
    expect(after.slice(0, raws.length)).toEqual(raws);
    expect(after).toHaveLength(raws.length + 2);
    if (value.version === 1) for (const raw of raws) expect(bodies(emulator)[0]).toContain(raw);
    expectAccepted(emulator);
  });

  test('there is one of each', () => {
    const versions = new Set(states.map(({ text }) => JSON.parse(text).version));
    expect([...versions].sort()).toEqual([1, 2]);
  });
});

/** Golden states of version 1 have one message on each line. */
function rawsIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.includes('"role"'))
    .map((line) => line.trim().replace(/,$/, ''));
}
