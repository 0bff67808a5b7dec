import { anthropicMessages, openaiChat, openaiResponses, provider, providers } from '@skein/core';
import { expect, test } from 'vitest';
import { findRoute, isSameVendor, mostSpecific } from './routes.ts';

const routes = [
  { pattern: '*', provider: 'anthropic', model: 'claude-opus-5-5' },
  { pattern: 'claude-*', provider: 'openai', model: 'gpt-5.5' },
  { pattern: 'claude-haiku*', provider: 'gemini', model: 'gemini-3-flash' },
  { pattern: 'gpt-5', provider: 'groq', model: 'openai/gpt-oss-120b' },
  { pattern: 'gpt-5*', provider: 'xai', model: 'grok-4' },
];
const known = { providers: providers() };
const find = (model: string | undefined, config: object = {}, dialect = anthropicMessages) =>
  findRoute({ model, dialect }, { routes: [], fallback: [], ...config }, known);
const targets = (route: ReturnType<typeof find>) =>
  route.kind === 'targets' ? route.targets.map((one) => `${one.provider.id}/${one.model}`) : route;

test('a model that names its provider goes there, whatever the routes say', () => {
  expect(find('openai/gpt-5.5', { routes })).toMatchObject({ by: 'name', label: 'openai/*' });
  expect(targets(find('openrouter/meta-llama/llama-4', { routes }))).toEqual(['openrouter/meta-llama/llama-4']);
  // An alias is a name, too.
  expect(targets(find('gemini/gemini-3-pro'))).toEqual(['google/gemini-3-pro']);
});

test('the most specific route counts, then the one without wildcards, then the first', () => {
  const routed = (model: string) => mostSpecific(model, routes)?.pattern;
  expect(routed('claude-opus-5-5')).toBe('claude-*');
  expect(routed('claude-haiku-4-5')).toBe('claude-haiku*');
  expect(routed('gpt-5')).toBe('gpt-5');
  expect(routed('gpt-5-mini')).toBe('gpt-5*');
  expect(routed('meta-llama/llama-4')).toBe('*');
  const twins = [
    { pattern: 'a?c', provider: 'x', model: '1' },
    { pattern: 'a*c', provider: 'x', model: '2' },
  ];
  expect(mostSpecific('abc', twins)?.model).toBe('1');
  expect(mostSpecific('abc', twins.toReversed())?.model).toBe('2');
  expect(mostSpecific('abbc', twins)?.model).toBe('2');
  expect(mostSpecific('a.c', [{ pattern: 'a.c', provider: 'x', model: '1' }])).toBeDefined();
  expect(mostSpecific('abc', [{ pattern: 'a.c', provider: 'x', model: '1' }])).toBeUndefined();
  expect(find('claude-opus-5-5', { routes })).toMatchObject({ kind: 'targets', by: 'route', label: 'claude-*' });
});

test('fallbacks follow the first target, and do not repeat it', () => {
  const fallback = [
    { provider: 'openai', model: 'gpt-5.5' },
    { provider: 'google', model: 'gemini-3-pro' },
  ];
  const both = ['openai/gpt-5.5', 'google/gemini-3-pro'];
  expect(targets(find('claude-opus-5-5', { routes, fallback }))).toEqual(both);
  expect(targets(find('anthropic/claude-opus-5-5', { fallback }))).toEqual(['anthropic/claude-opus-5-5', ...both]);
});

test('a bare name without a route goes to the vendor whose protocol the client speaks', () => {
  expect(find('claude-haiku-4-5')).toMatchObject({ kind: 'pass', provider: { id: 'anthropic' } });
  expect(find('gpt-5-mini', {}, openaiChat)).toMatchObject({ kind: 'pass', provider: { id: 'openai-chat' } });
  const house = {
    ...provider('openai'),
    connection: { ...provider('openai').connection!, baseUrl: 'http://house/v1' },
  };
  const passed = findRoute(
    { model: 'gpt-5-mini', dialect: openaiResponses },
    { routes: [], fallback: [] },
    { providers: [house] },
  );
  expect(passed).toEqual({ kind: 'pass', provider: house });
});

test('a provider that does not exist is unknown, and so is no model at all', () => {
  expect(find('antropic/claude')).toEqual({ kind: 'unknown', model: 'antropic/claude' });
  expect(find(undefined)).toEqual({ kind: 'unknown', model: '' });
  expect(find('openai/')).toEqual({ kind: 'unknown', model: 'openai/' });
  expect(find('constructor/x')).toEqual({ kind: 'unknown', model: 'constructor/x' });
  // The dialect of content blocks has no address.
  expect(find('blocks/x').kind).toBe('unknown');
});

test('one vendor may have several providers; another host with the same variable is another vendor', () => {
  const [openai, chat] = [provider('openai'), provider('openai-chat')];
  expect(isSameVendor(openai, chat, {})).toBe(true);
  expect(isSameVendor(openai, provider('anthropic'), {})).toBe(false);
  const elsewhere = {
    ...chat,
    id: 'elsewhere',
    connection: { ...chat.connection!, baseUrl: 'https://evil.example/v1' },
  };
  expect(
    isSameVendor(openai, { ...elsewhere, connection: { ...elsewhere.connection, baseUrlVariables: [] } }, {}),
  ).toBe(false);
});
