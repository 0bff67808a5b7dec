import type { Agent, Config } from '@skein/agents';
import { expect, test } from 'vitest';
import { createGenerating } from './generating.ts';

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
  const { options } = createGenerating(config, async () => [agent], [], undefined, {
    lastRequest: async () => undefined,
  });
  expect(await options({ agent: 'poet' })).toMatchObject({ params: { topP: 0.5 } });
  expect((await options({ agent: 'poet' })).params).not.toHaveProperty('temperature');
  expect(await options({})).toMatchObject({ params: { temperature: 0.2 }, n: 2 });
});
