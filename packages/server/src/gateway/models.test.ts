import { anthropicMessages, type Dialect, googleGenerateContent, openaiChat, providers } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { expect, test } from 'vitest';
import { findServedModel, listServedModels } from './models.ts';

const gateway = {
  routes: [
    { pattern: 'fast', provider: 'groq', model: 'llama-4' },
    { pattern: 'claude-*', provider: 'openai', model: 'gpt-5.5-of-mine' },
  ],
  fallback: [],
  tokens: [],
};
const services = (env: Record<string, string>) => ({
  ...{ providers: providers(), env, defaultModel: async () => undefined },
  config: { gateway },
});
const KEYS = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b', GROQ_API_KEY: 'c' };
const ids = async (dialect: Dialect, env: Record<string, string> = KEYS) =>
  (await listServedModels({ dialect }, services(env))).map(({ id }) => id);

test('the list names what the keys can reach: routes, bare names of the vendor, and provider/model', async () => {
  const seen = await ids(anthropicMessages);
  expect(seen.slice(0, 3)).toEqual(['fast', 'groq/llama-4', 'openai/gpt-5.5-of-mine']);
  expect(seen).toContain('claude-sonnet-4-5');
  expect(seen).toContain('anthropic/claude-sonnet-4-5');
  expect(seen).toContain('openai/gpt-5.2');
  expect(seen).not.toContain('gpt-5.2');
  expect(seen.some((id) => id.startsWith('google/'))).toBe(false);
  expect(await ids(openaiChat, { ANTHROPIC_API_KEY: 'a' })).not.toContain('gpt-5.2');
  expect(await ids(openaiChat)).toContain('gpt-5.2');
});

test('every client gets its own form, and pages as its vendor gives them', async () => {
  const models = await listServedModels({ dialect: anthropicMessages }, services(KEYS));
  const list = (dialect: Dialect, query = '') => serving(dialect).api!.modelList(models, new URLSearchParams(query));
  expect(list(openaiChat)).toMatchObject({
    object: 'list',
    data: expect.arrayContaining([expect.objectContaining({ id: 'fast', object: 'model' })]),
  });
  expect(models.some(({ id }) => id.startsWith('openai-compatible/'))).toBe(false);
  const first = list(anthropicMessages, 'limit=2');
  expect(first).toMatchObject({ has_more: true, first_id: 'fast', last_id: 'groq/llama-4' });
  expect(list(anthropicMessages, 'limit=2&after_id=groq/llama-4')).toMatchObject({
    first_id: 'openai/gpt-5.5-of-mine',
  });
  expect(list(anthropicMessages, 'limit=1000')).toMatchObject({ has_more: false });
  const google = list(googleGenerateContent, 'pageSize=2') as { nextPageToken: string };
  expect(google).toMatchObject({ models: [{ name: 'models/fast' }, { name: 'models/groq/llama-4' }] });
  expect(list(googleGenerateContent, `pageSize=2&pageToken=${google.nextPageToken}`)).toMatchObject({
    models: [{ name: 'models/openai/gpt-5.5-of-mine' }, {}],
  });
});

test('one model: of the list, of a provider that has a key, of the vendor, or the 404 of the client', async () => {
  const find = (model: string) => findServedModel({ dialect: openaiChat, model }, services(KEYS));
  expect(await find('openai/gpt-5.2')).toMatchObject({ id: 'openai/gpt-5.2', contextTokens: expect.any(Number) });
  expect(await find('anthropic/claude-of-the-future')).toMatchObject({ id: 'anthropic/claude-of-the-future' });
  expect(await find('ft:gpt-4o:house')).toBeUndefined();
  await expect(find('google/gemini-3-pro')).rejects.toMatchObject({ status: 404 });
  await expect(find('nobody/model')).rejects.toMatchObject({ status: 404 });
});
