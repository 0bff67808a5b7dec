import type { Agent, Config } from '@skein/agents';
import { expect, test } from 'vitest';
import { createGenerationResolver } from './services.ts';

const config = {
  model: 'anthropic/claude-sonnet-4-5',
  preset: 'careful',
  presets: { careful: { temperature: 0.2, n: 2 } },
  providers: {},
} as unknown as Config;

test('the preset of the configuration is not mixed into that of an agent', async () => {
  const agent = {
    id: 'poet',
    name: 'Poet',
    options: async () => ({ options: { model: {}, params: { topP: 0.5 }, tools: [] }, problems: [] }),
  } as unknown as Agent;
  const { options } = createGenerationResolver(config, {
    agents: async () => [agent],
    tools: [],
    defaultModel: async () => config.model,
    engine: { lastRequest: async () => undefined },
    env: {},
  });
  expect(await options({ agent: 'poet' })).toMatchObject({ params: { topP: 0.5 } });
  expect((await options({ agent: 'poet' })).params).not.toHaveProperty('temperature');
  expect(await options({})).toMatchObject({ params: { temperature: 0.2 }, n: 2 });
});

test.each([
  ['answered it', 'openai', { OPENAI_API_KEY: 'sk-test' }, 'openai', 'm'],
  ['is configured, where there is no key for that one', 'openai', {}, 'anthropic', 'claude-sonnet-4-5'],
  ['is configured, where nobody knows who answered', 'gone', {}, 'anthropic', 'claude-sonnet-4-5'],
])('a conversation goes on with the model that %s', async (_which, provider, env, id, model) => {
  const { options, nextModel } = createGenerationResolver(config, {
    agents: async () => [],
    tools: [],
    defaultModel: async () => config.model,
    engine: { lastRequest: async () => ({ provider, model: 'm', tools: [] }) },
    env,
  });
  const goesOn = { thread: 't', at: 'n' };
  expect(await options({}, goesOn)).toMatchObject({ model: { provider: { id }, model } });
  expect(await nextModel({ provider, model: 'm' })).toBe(`${id}/${model}`);
  expect(await options({ model: 'google/gemini-2.5-pro' }, goesOn)).toMatchObject({
    model: { model: 'gemini-2.5-pro' },
  });
});
