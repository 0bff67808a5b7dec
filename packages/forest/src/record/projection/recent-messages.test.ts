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

test('of two generations, the older one is forgotten when the younger one is full, without what came again', () => {
  const texts = (raw: string) => raw.length;
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((content) => ask(content)[0]!);
  const recent = new RecentMessages(2 * texts(a!.raw));
  const [first, second] = [recent.reuse(a!), recent.reuse(b!)];
  expect(recent.reuse(a!)).toBe(first);
  recent.reuse(c!);
  recent.reuse(d!);
  expect(recent.reuse(a!)).toBe(first);
  expect(recent.reuse(b!)).not.toBe(second);
});

test('what is kept has a text of its own; what cannot be read is kept as it is', () => {
  const recent = new RecentMessages();
  const [sent] = ask('hello');
  expect(recent.reuse(sent!)).not.toBe(sent);
  const unreadable = { ...sent!, raw: 'no JSON', origin: sent!.origin };
  expect(recent.reuse(unreadable)).toBe(unreadable);
});
