import { dialect } from '@skein/core';
import { expect, test } from 'vitest';
import { RecentMessages } from './recent-messages.ts';

const chat = dialect('openai-chat');
const issuer = Object.freeze({ issuer: 'someone' });
const ask = (...contents: string[]) =>
  chat.readRequest(
    JSON.stringify({ model: 'm', messages: contents.map((content) => ({ role: 'user', content })) }),
    issuer,
  ).messages;

test('a message that comes again is the one that was read before, exact text and all', () => {
  const recent = new RecentMessages();
  const [sent] = ask('lone \ud800 surrogate');
  const first = recent.reuse(sent!);
  const [again] = ask('lone \ud800 surrogate', 'next');
  expect(first.raw).toBe(sent!.raw);
  expect(first.origin).toEqual(sent!.origin);
  expect(recent.reuse(again!)).toBe(first);
});

test('a message of another issuer is another message', () => {
  const recent = new RecentMessages();
  const [sent] = ask('hello');
  const first = recent.reuse(sent!);
  const other = recent.reuse(chat.readRequest(`{"messages":[${sent!.raw}]}`, { issuer: 'other' }).messages[0]!);
  expect(other).not.toBe(first);
  expect(other.origin.issuer).toBe('other');
});

test('what was not sent for long is forgotten', () => {
  const recent = new RecentMessages();
  const first = recent.reuse(ask('first')[0]!);
  const long = 'x'.repeat(2 ** 20);
  for (let count = 0; count < 6; count++) recent.reuse(ask(`${count} ${long}`)[0]!);
  expect(recent.reuse(ask('first')[0]!)).not.toBe(first);
});
