import { describeProblem } from '@skein/agents';
import { expect, test } from 'vitest';
import { about, configIn, folderWith } from './kit.ts';

const YAML = `gateway:
  routes:
    "claude-*": openai/gpt-5.5
    "*": openrouter/meta-llama/llama-4
  fallback: [google/gemini-3-pro]
  tokens:
    - { name: ci, variable: CI_TOKEN, budget: { cost_per_day: 2.5, requests_per_minute: 30 } }
    - { name: alice, variable: ALICE_TOKEN }
`;

const inYaml = async (text: string) => configIn(await folderWith({ 'skein.config.yaml': text }));

test('the gateway: routes in their order, fallbacks, and tokens with budgets', async () => {
  const { config, problems } = await inYaml(YAML);
  expect(problems).toEqual([]);
  expect(config.gateway).toEqual({
    routes: [
      { pattern: 'claude-*', provider: 'openai', model: 'gpt-5.5' },
      { pattern: '*', provider: 'openrouter', model: 'meta-llama/llama-4' },
    ],
    fallback: [{ provider: 'google', model: 'gemini-3-pro' }],
    tokens: [
      { name: 'ci', variable: 'CI_TOKEN', budget: { costPerDay: 2.5, requestsPerMinute: 30 } },
      { name: 'alice', variable: 'ALICE_TOKEN', budget: {} },
    ],
  });
  expect((await inYaml('project: a\n')).config.gateway).toEqual({ routes: [], fallback: [], tokens: [] });
});

test('a route may lead to a provider of the same file', async () => {
  const { config, problems } = await inYaml(
    'providers: { house: { base_url: https://llm.example/v1 } }\ngateway: { routes: { "*": house/any } }\n',
  );
  expect(problems).toEqual([]);
  expect(config.gateway.routes).toEqual([{ pattern: '*', provider: 'house', model: 'any' }]);
});

test('mistakes are told with line and column, and what is wrong is not used', async () => {
  const { config, problems } = await inYaml(`gateway:
  routes:
    "gpt-*": antropic/claude-opus-5-5
    "o3": gpt-5.5
  fallback:
    - anthropic/claude-opus-5-5
    - nowhere/model
  tokens:
    - { name: ci }
    - { name: a, variable: A }
    - { name: a, variable: B }
    - { name: b, variable: A, budget: { cost: 3 } }
  rotes: {}
`);
  const place = (key: string) => {
    const { line, column, code } = about(problems, key);
    return [line, column, code];
  };
  expect(place('gateway.routes.gpt-*')).toEqual([3, 5, 'unknown-provider']);
  expect(place('gateway.routes.o3')).toEqual([4, 5, 'wrong-type']);
  expect(place('gateway.fallback[1]')).toEqual([7, 7, 'unknown-provider']);
  expect(place('gateway.tokens[0]')).toEqual([9, 7, 'missing-key']);
  expect(place('gateway.tokens[2].name')).toEqual([11, 9, 'duplicate']);
  expect(place('gateway.tokens[3].variable')).toEqual([12, 18, 'duplicate']);
  expect(place('gateway.tokens[3].budget.cost')).toEqual([12, 41, 'unknown-key']);
  expect(place('gateway.rotes')).toEqual([13, 3, 'unknown-key']);
  expect(describeProblem(about(problems, 'gateway.routes.gpt-*'))).toMatch(
    /skein\.config\.yaml:3:5: gateway\.routes\.gpt-\*: .*Did you mean "anthropic"/,
  );
  expect(config.gateway).toMatchObject({
    routes: [],
    fallback: [{ provider: 'anthropic', model: 'claude-opus-5-5' }],
    tokens: [{ name: 'a', variable: 'A' }],
  });
});

test('columns in TOML and JSON, too', async () => {
  const toml = await configIn(
    await folderWith({ 'skein.config.toml': '[gateway]\n  fallbacks = []\n[gateway.routes]\n"a*" = "nowhere/x"\n' }),
  );
  expect(about(toml.problems, 'gateway.fallbacks')).toMatchObject({ line: 2, column: 3 });
  expect(about(toml.problems, 'gateway.routes.a*')).toMatchObject({ line: 4, column: 1 });
  const json = await configIn(await folderWith({ 'skein.config.json': '{\n  "gateway": { "routs": {} }\n}' }));
  expect(about(json.problems, 'gateway.routs')).toMatchObject({ line: 2, column: 16 });
  const cut = await configIn(await folderWith({ 'skein.config.json': '{\n  "gateway": ,\n}' }));
  expect(about(cut.problems, '')).toMatchObject({ line: 2, column: 14, code: 'syntax' });
});

test('a token itself in the file is refused', async () => {
  const { config, problems } = await inYaml('gateway: { tokens: [{ name: ci, token: hunter2 }] }\n');
  expect(about(problems, 'gateway.tokens[0].token').code).toBe('secret');
  expect(JSON.stringify([config, problems])).not.toContain('hunter2');
});
