import type { GatewayToken } from '@skein/agents';
import { type Environment, isSkeinError, provider } from '@skein/core';
import { expect, test } from 'vitest';
import { createAccess } from '../http/access.ts';
import { createGatewayTokens } from './tokens.ts';

const TOKENS: readonly GatewayToken[] = [
  { name: 'ci', variable: 'CI_TOKEN', budget: {} },
  { name: 'nobody', variable: 'EMPTY', budget: {} },
];
const ENV: Environment = { CI_TOKEN: 'ci-secret', EMPTY: '' };

function admit(
  headers: Record<string, string>,
  options: { tokens?: typeof TOKENS; token?: string; url?: string } = {},
) {
  const { tokens = TOKENS, token, url = '/gateway/openai/v1/responses' } = options;
  const gate = createGatewayTokens(tokens, ENV, createAccess({ token }));
  return gate.admit(new Map(Object.entries(headers)), url, () => '10.0.0.1');
}

test('a token is found wherever the SDK of a client has its key', () => {
  const named = { name: 'ci', token: 'ci-secret' };
  expect(admit({ authorization: 'Bearer ci-secret' })).toMatchObject(named);
  expect(admit({ 'x-api-key': 'ci-secret' })).toMatchObject(named);
  expect(admit({ 'x-goog-api-key': 'ci-secret' })).toMatchObject(named);
  expect(admit({}, { url: '/gateway/google/v1beta/models?key=ci-secret' })).toMatchObject(named);
  const both = admit({ 'x-skein-token': 'ci-secret', authorization: 'Bearer sk-own' });
  expect(both).toMatchObject(named);
  expect([...both.keys]).toEqual([['authorization', 'sk-own']]);
});

test('where tokens are configured, everyone needs one, and an empty variable is no token', () => {
  for (const given of ['', 'wrong', 'skein'] as const)
    expect(() => admit({ 'x-api-key': given })).toThrow(expect.objectContaining({ code: 'token_needed' }));
  expect(() => admit({})).toThrow(expect.objectContaining({ code: 'token_needed' }));
  expect(admit({ 'x-api-key': 'boss' }, { token: 'boss' })).toMatchObject({ name: 'server', token: 'boss' });
  expect(admit({ 'x-api-key': 'ci-secret' }, { token: 'boss' })).toMatchObject({ name: 'ci' });
});

test('without tokens, a server that needs none lets everyone in, with a key or without', () => {
  expect(admit({ 'x-api-key': 'sk-own' }, { tokens: [] })).toEqual({
    name: undefined,
    token: undefined,
    keys: new Map([['x-api-key', 'sk-own']]),
  });
  // The key of clients that have none.
  expect(admit({ 'x-api-key': 'skein' }, { tokens: [] }).keys.size).toBe(0);
});

test('many wrong tokens from one address have to wait', () => {
  const gate = createGatewayTokens(TOKENS, ENV, createAccess({}));
  const guess = (value: string) => gate.admit(new Map([['x-api-key', value]]), '/gateway/openai', () => '10.0.0.2');
  const codes = Array.from({ length: 25 }, (_, at) => {
    try {
      return guess(`guess-${at}`);
    } catch (error) {
      return isSkeinError(error) && error.code;
    }
  });
  expect(codes.at(0)).toBe('token_needed');
  expect(codes.at(-1)).toBe('too_many_attempts');
});

test('a key of the client goes to the vendor whose protocol it speaks, and to nobody else', () => {
  const gate = createGatewayTokens([], {}, createAccess({}));
  const caller = gate.admit(new Map([['authorization', 'Bearer sk-own']]), '/gateway/openai/v1', () => undefined);
  const [chat, responses] = [provider('openai-chat'), provider('openai')];
  expect(gate.keyFor(caller, chat, chat)).toBe('sk-own');
  expect(gate.keyFor(caller, chat, responses)).toBe('sk-own');
  for (const other of ['anthropic', 'google', 'openrouter', 'groq'])
    expect(gate.keyFor(caller, chat, provider(other))).toBeUndefined();
  const none = gate.admit(new Map(), '/gateway/openai/v1', () => undefined);
  expect(gate.keyFor(none, chat, chat)).toBeUndefined();
});
