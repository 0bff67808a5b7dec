import { type ObserverEvent, tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import { expect, test } from 'vitest';
import { anthropic, ask, chat, start } from './kit.ts';

const secretive = tool({ name: 'look', execute: () => 'SECRET result' });

async function observed(observePayloads: boolean): Promise<ObserverEvent[]> {
  const emulator = await start();
  emulator.script(anthropic.protocol, [
    { error: { status: 529 }, retryAfter: { ms: 0 } },
    { blocks: [{ type: 'tool-use', name: 'look', input: { at: 'SECRET' } }] },
    says('SECRET answer'),
  ]);
  const seen: ObserverEvent[] = [];
  const messages = [user('SECRET question')];
  const observer = (event: ObserverEvent) => void seen.push(event);
  await ask(emulator, anthropic, { messages, tools: [secretive], observer, observePayloads }).result;
  return seen;
}

test('an observer sees everything that happens, without what was said', async () => {
  const seen = await observed(false);
  expect(seen.map(({ type }) => type)).toEqual([
    'request',
    'retry',
    'first-event',
    'response',
    'tool-start',
    'tool-end',
    'request',
    'first-event',
    'response',
    'finish',
  ]);
  expect(seen).toContainEqual(
    expect.objectContaining({ type: 'response', provider: 'anthropic', stop: { reason: 'end', native: 'end_turn' } }),
  );
  expect(JSON.stringify(seen)).not.toContain('SECRET');
  expect(new Set(seen.map(({ run }) => run)).size).toBe(1);
});

test('payloads come when asked for', async () => {
  const seen = JSON.stringify(await observed(true));
  for (const text of ['SECRET question', 'SECRET result', 'SECRET answer']) expect(seen).toContain(text);
});

test('an observer that throws breaks nothing', async () => {
  const emulator = await start();
  const observer = () => {
    throw new Error('no');
  };
  expect(await ask(emulator, chat, { messages: [user('Hi')], observer }).text).toBe('Echo: Hi');
});

test('the log of actions holds what tools noted for the user', async () => {
  const emulator = await start();
  emulator.script(chat.protocol, [
    { blocks: [{ type: 'tool-use', name: 'clean', input: { deep: true } }] },
    says('Ok.'),
  ]);
  const clean = tool({
    name: 'clean',
    execute: (_, { note }) => {
      note('Removed 3 files');
      return 'done';
    },
  });
  const { actions } = await ask(emulator, chat, { messages: [user('Clean')], tools: [clean] }).result;
  expect(actions).toMatchObject([
    { name: 'clean', arguments: '{"deep":true}', outcome: 'done', notes: ['Removed 3 files'] },
  ]);
});
