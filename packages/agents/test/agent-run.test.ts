import { join } from 'node:path';
import { loadAgent, loadAgents } from '@skein/agents';
import { diffPrefix, type Message, user } from '@skein/core';
import { type Protocol, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { configIn, emulator, folderWith, later, write } from './kit.ts';

const TOOLS = `import { tool } from '@skein/core';

interface Task { readonly id: number; readonly title: string }
const tasks: Task[] = [{ id: 2512292042121000001, title: 'Buy milk' } as Task];

export const listTasks = tool({ name: 'list_tasks', description: 'All tasks', execute: () => tasks });
export const deleteTask = tool({
  name: 'delete_task',
  input: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  execute: ({ title }, { note }) => {
    note(\`Deleted \${String(title)}\`);
    return 'deleted';
  },
});
`;

/** The only line that differs between the providers. */
const agentFor = (provider: string) => `name: Todoist
provider: ${provider}
model: { anthropic: claude-opus-5-5, openai: gpt-5.5, openai-chat: gpt-5.5, gemini: gemini-3-pro-preview }
system_prompt: |
  You keep a list of tasks.
tools: [./todoist-tools.ts, current_time]
params: { max_tokens: 4096 }
limits: { steps: 15 }
approve: [delete_task]
`;

const WAYS: readonly [provider: string, protocol: Protocol][] = [
  ['anthropic', 'anthropic-messages'],
  ['openai-chat', 'openai-chat'],
  ['openai', 'openai-responses'],
  ['gemini', 'google-generatecontent'],
];

describe.each(WAYS)('provider: %s', (provider, protocol) => {
  test('the same file and the same tools run a loop with approval', async () => {
    const started = await emulator();
    started.script(protocol, [
      {
        blocks: [
          { type: 'thinking', text: 'What is there?' },
          { type: 'tool-use', name: 'list_tasks', input: {} },
          { type: 'tool-use', name: 'current_time', input: {} },
        ],
      },
      { blocks: [{ type: 'tool-use', name: 'delete_task', input: { title: 'Buy milk' } }] },
      says('Done.'),
    ]);
    const folder = await folderWith({ 'todoist.yaml': agentFor(provider), 'todoist-tools.ts': TOOLS });
    const { config } = await configIn(folder);
    const agent = await loadAgent(join(folder, 'todoist.yaml'), { config, env: started.env() });
    later(() => agent.close());
    expect(agent).toMatchObject({ id: 'todoist', name: 'Todoist', limits: { steps: 15 } });
    expect(agent.toolNames).toEqual(['delete_task', 'list_tasks', 'current_time']);
    const history: Message[] = [user('Delete everything.')];
    const first = await (await agent.run({ messages: history })).result;
    expect(first.stop.reason).toBe('approval');
    expect(first.messages[1]?.text).toContain('Buy milk');
    history.push(...first.messages);
    const approvals = { [first.pending[0]!.id]: 'approve' } as const;
    const done = await (await agent.run({ messages: history, approvals })).result;
    expect(done.text).toBe('Done.');
    expect(done.actions.flatMap(({ notes }) => notes)).toEqual(['Deleted Buy milk']);
    const sent = started.log.map(({ body, verdict }) => {
      expect(verdict.refusal, body.toString()).toBeUndefined();
      return body.toString();
    });
    expect(sent).toHaveLength(3);
    for (const [index, body] of sent.entries()) {
      expect(body).toContain('You keep a list of tasks.');
      expect(body).toContain('4096');
      if (index > 0) expect(diffPrefix(sent[index - 1]!, body)).toBeUndefined();
    }
  });
});

test('switching the provider is one line, and the history goes along', async () => {
  const started = await emulator();
  const folder = await folderWith({ 'todoist-tools.ts': TOOLS });
  const { config } = await configIn(folder);
  const history: Message[] = [];
  for (const [provider, protocol] of WAYS) {
    started.script(protocol, [
      { blocks: [{ type: 'tool-use', name: 'list_tasks', input: {} }] },
      says(`From ${provider}.`),
    ]);
    await write(folder, { 'todoist.yaml': agentFor(provider) });
    const agent = await loadAgent(join(folder, 'todoist.yaml'), { config, env: started.env() });
    history.push(user('What is there?'));
    const result = await (await agent.run({ messages: history })).result;
    expect(result.text).toBe(`From ${provider}.`);
    history.push(...result.messages);
  }
  for (const { body, verdict } of started.log) expect(verdict.refusal, body.toString()).toBeUndefined();
});

test('a provider of the configuration is one like any other, with its own address and key', async () => {
  const started = await emulator();
  const folder = await folderWith({
    'skein.config.yaml': `model: house/llama
preset: brief
presets: { brief: { max_tokens: 77, n: 3 } }
providers:
  house: { base_url: '${started.baseUrl('openai-chat')}', key_variable: HOUSE_KEY }
`,
    'agents/a.yaml': 'system_prompt: Be brief.\nparams: { temperature: 0.5 }\n',
    'agents/b.yaml': 'provider: house\nmodel: qwen\n',
  });
  const { config, problems } = await configIn(folder);
  expect(problems).toEqual([]);
  const env = { HOUSE_KEY: 'house-key', OPENAI_API_KEY: 'not-this-one' };
  const loaded = await loadAgents(config.agents, { config, env });
  expect(loaded.problems).toEqual([]);
  for (const id of ['a', 'b']) await (await loaded.find(id)!.run({ messages: [user('Hi')] })).result;
  const sent = started.log.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
  expect(sent[0]).toMatchObject({ model: 'llama', max_tokens: 77, temperature: 0.5 });
  expect(sent[1]).toMatchObject({ model: 'qwen', max_tokens: 77 });
  expect(started.log[0]?.headers.authorization).toBe('Bearer house-key');
});

test('without a model, the provider has a usual one', async () => {
  const folder = await folderWith({ 'a.yaml': 'provider: anthropic\n', 'b.yaml': 'provider: gemini\n' });
  const { config } = await configIn(folder);
  const { agents } = await loadAgents(folder, { config, env: {} });
  expect(agents.map(({ model }) => [model.provider.id, model.model !== ''])).toEqual([
    ['anthropic', true],
    ['google', true],
  ]);
});

test('only what is listed can be called', async () => {
  const started = await emulator();
  started.script('anthropic-messages', [
    {
      blocks: [
        { type: 'tool-use', name: 'delete_task', input: { title: 'x' } },
        { type: 'tool-use', name: 'read_file', input: { path: 'todoist-tools.ts' } },
      ],
    },
    says('I cannot.'),
  ]);
  const yaml = 'provider: anthropic\nmodel: claude-opus-5-5\ntools: ["./todoist-tools.ts#list_tasks"]\n';
  const folder = await folderWith({ 'a.yaml': yaml, 'todoist-tools.ts': TOOLS });
  const { config } = await configIn(folder);
  const agent = await loadAgent(join(folder, 'a.yaml'), { config, env: started.env() });
  expect(agent.toolNames).toEqual(['list_tasks']);
  const { actions } = await (await agent.run({ messages: [user('Delete it')] })).result;
  expect(actions.map(({ outcome }) => outcome)).toEqual(['unknown-tool', 'unknown-tool']);
});

test('variables that are given to a run count before those the agent was loaded with', async () => {
  const started = await emulator();
  const yaml = 'provider: anthropic\nmodel: claude-opus-5-5\nfallback: [openai/gpt-5.5]\n';
  const folder = await folderWith({ 'a.yaml': yaml });
  const { config } = await configIn(folder);
  const agent = await loadAgent(join(folder, 'a.yaml'), { config, env: {} });
  const env = started.env();
  const messages = [user('Hello')];
  await expect((await agent.run({ messages })).text).rejects.toMatchObject({ code: 'missing_key' });
  expect(await (await agent.run({ messages, env })).text).toBe('Echo: Hello');
  expect(await (await agent.run({ messages, env, model: 'google/gemini-3-pro-preview' })).text).toBe('Echo: Hello');
  started.script('anthropic-messages', [{ error: { status: 401 } }]);
  expect(await (await agent.run({ messages, env })).text).toBe('Echo: Hello');
});

test('tool modules: JavaScript, default exports, lists, and the one core that runs them', async () => {
  const folder = await folderWith({
    'a.yaml': 'provider: anthropic\nmodel: m\ntools: [./one.mjs, ./two.ts, ./sub/three.mts]\n',
    'one.mjs': `import { tool } from '@skein/core'; export default [tool({ name: 'one', execute: () => 1 })];`,
    'two.ts': `import * as core from '@skein/core'; import { help } from './help.ts';
export const same: boolean = core.ProviderError === globalThis.skeinProviderError;
export default core.tool({ name: 'two', execute: () => help(same) });`,
    'help.ts': `export const help = (x: boolean): string => 'same: ' + x;`,
    'sub/three.mts': `import { tool } from '@skein/core'; await Promise.resolve(); export const t = tool({ name: 'three', execute: () => 3 }); export { t as again };`,
  });
  const { ProviderError } = await import('@skein/core');
  Object.assign(globalThis, { skeinProviderError: ProviderError });
  const { config } = await configIn(folder);
  const agent = await loadAgent(join(folder, 'a.yaml'), { config, env: {} });
  expect(agent.toolNames).toEqual(['one', 'two', 'three']);
  const { options } = await agent.options();
  expect(await options.tools[1]?.execute({}, {} as never)).toBe('same: true');
});

test('files of the older format load, with a notice for what has no meaning here', async () => {
  const folder = await folderWith({
    'coder.yaml': `name: CoderAgent
class_name: CoderAgent
module: core.agents.coder
provider: google
model: gemini-3-pro
system_prompt: >
  You write code.
files: .
tools: [read_file, list_files]
knowledge_store: { type: chroma, path: ./knowledge_db }
`,
  });
  const { config } = await configIn(folder);
  const { agents, problems } = await loadAgents(folder, { config, env: {} });
  expect(agents.map(({ name }) => name)).toEqual(['CoderAgent']);
  expect(problems.map(({ severity, key, line }) => [severity, key, line])).toEqual([
    ['notice', 'class_name', 2],
    ['notice', 'module', 3],
    ['notice', 'knowledge_store', 10],
  ]);
  // Also for those who load one agent, or run it.
  const agent = await loadAgent(join(folder, 'coder.yaml'), { config, env: {} });
  expect((await agent.options()).problems).toEqual(problems);
});
