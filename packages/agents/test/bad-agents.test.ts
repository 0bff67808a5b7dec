import { join } from 'node:path';
import { AgentFileError, loadAgent, loadAgents, type ProblemCode } from '@skein/agents';
import { describe, expect, test } from 'vitest';
import { about, configIn, folderWith } from './kit.ts';

interface Bad {
  readonly what: string;
  readonly yaml: string;
  readonly key: string;
  readonly line: number;
  readonly code: ProblemCode;
  readonly says: RegExp;
}

const HEAD = 'provider: anthropic\nmodel: claude-sonnet-4-5\n';

const BAD: readonly Bad[] = [
  {
    what: 'a wrong type',
    yaml: `${HEAD}limits:\n  steps: many\n`,
    key: 'limits.steps',
    line: 4,
    code: 'wrong-type',
    says: /whole number/,
  },
  {
    what: 'a list that is none',
    yaml: `${HEAD}tools: current_time\n`,
    key: 'tools',
    line: 3,
    code: 'wrong-type',
    says: /a list/,
  },
  {
    what: 'an unknown key',
    yaml: `${HEAD}sytem_prompt: Hi\n`,
    key: 'sytem_prompt',
    line: 3,
    code: 'unknown-key',
    says: /"system_prompt"/,
  },
  {
    what: 'an unknown parameter',
    yaml: `${HEAD}params:\n  maxTokens: 1\n`,
    key: 'params.maxTokens',
    line: 4,
    code: 'unknown-key',
    says: /"max_tokens"/,
  },
  {
    what: 'an unknown provider',
    yaml: 'name: x\nprovider: gemni\nmodel: y\n',
    key: 'provider',
    line: 2,
    code: 'unknown-provider',
    says: /"gemini"\? Known: house, .*anthropic/,
  },
  {
    what: 'a provider in the model',
    yaml: 'model: antropic/claude\n',
    key: 'model',
    line: 1,
    code: 'unknown-provider',
    says: /"anthropic"/,
  },
  { what: 'no model at all', yaml: 'name: x\n', key: '', line: 1, code: 'missing-key', says: /provider/ },
  {
    what: 'no model for this provider',
    yaml: 'provider: openai\nmodel: { anthropic: a }\n',
    key: 'model',
    line: 2,
    code: 'missing-key',
    says: /openai: <model>/,
  },
  {
    what: 'YAML that contains itself',
    yaml: `${HEAD}params: &loop\n  stop: [a]\n  more: *loop\n`,
    key: '',
    line: 5,
    code: 'syntax',
    says: /contains itself/,
  },
  {
    what: 'YAML that contains itself from further down',
    yaml: `${HEAD}extra_body: &loop\n  - &inner [1]\n  - { a: [*inner, *loop] }\n`,
    key: '',
    line: 5,
    code: 'syntax',
    says: /contains itself/,
  },
  {
    what: 'YAML that nests without end',
    yaml: `${HEAD}extra_body: ${'['.repeat(30_000)}${']'.repeat(30_000)}\n`,
    key: '',
    line: 3,
    code: 'syntax',
    says: /YAML/,
  },
  {
    what: "a method of Synapse's class",
    yaml: `class_name: CoderAgent\n${HEAD}tools: [current_time, write_file]\n`,
    key: 'tools[1]',
    line: 4,
    code: 'unknown-tool',
    says: /"write_file" is a method of the class CoderAgent.*tool\(\{.*"\.\/tools\.ts"/,
  },
  {
    what: 'an unknown tool',
    yaml: `${HEAD}tools:\n  - curent_time\n`,
    key: 'tools[0]',
    line: 4,
    code: 'unknown-tool',
    says: /"current_time"/,
  },
  {
    what: 'a missing tool module',
    yaml: `${HEAD}tools:\n  - current_time\n  - ./nowhere.ts\n`,
    key: 'tools[1]',
    line: 5,
    code: 'tool-module',
    says: /no file \.\/nowhere\.ts/,
  },
  {
    what: 'a tool module that throws',
    yaml: `${HEAD}tools: [./throws.ts]\n`,
    key: 'tools[0]',
    line: 3,
    code: 'tool-module',
    says: /the disk is full/,
  },
  {
    what: 'a tool module that is no program',
    yaml: `${HEAD}tools: [./broken.ts]\n`,
    key: 'tools[0]',
    line: 3,
    code: 'tool-module',
    says: /broken\.ts/,
  },
  {
    what: 'a tool module that imports what is not there',
    yaml: `${HEAD}tools: [./imports.ts]\n`,
    key: 'tools[0]',
    line: 3,
    code: 'tool-module',
    says: /gone/,
  },
  {
    what: 'a tool module without tools',
    yaml: `${HEAD}tools: [./empty.ts]\n`,
    key: 'tools[0]',
    line: 3,
    code: 'tool-module',
    says: /exports no tools/,
  },
  {
    what: 'a tool that the module does not have',
    yaml: `${HEAD}tools: ["./good.ts#hallo"]\n`,
    key: 'tools[0]',
    line: 3,
    code: 'unknown-tool',
    says: /"hello"/,
  },
  {
    what: 'the same tool twice',
    yaml: `${HEAD}tools: [./good.ts, ./good.ts]\n`,
    key: 'tools',
    line: 3,
    code: 'duplicate',
    says: /hello/,
  },
  {
    what: 'file tools without a folder',
    yaml: `${HEAD}tools: [read_file]\n`,
    key: 'tools[0]',
    line: 3,
    code: 'missing-key',
    says: /files:/,
  },
  {
    what: 'fetch_url, which is off',
    yaml: `${HEAD}tools: [fetch_url]\n`,
    key: 'tools[0]',
    line: 3,
    code: 'missing-key',
    says: /enabled: true/,
  },
  {
    what: 'forest tools without a forest',
    yaml: `${HEAD}tools: [search_forest]\n`,
    key: 'tools[0]',
    line: 3,
    code: 'missing-key',
    says: /forest/,
  },
  {
    what: 'an unknown MCP server',
    yaml: `${HEAD}tools: ["mcp:gitub"]\n`,
    key: 'tools[0]',
    line: 3,
    code: 'unknown-server',
    says: /"github"/,
  },
  {
    what: 'an approval that guards nothing',
    yaml: `${HEAD}tools: [current_time]\napprove: [curent_time]\n`,
    key: 'approve[0]',
    line: 4,
    code: 'unknown-tool',
    says: /"current_time"/,
  },
  {
    what: 'an unknown preset',
    yaml: `${HEAD}preset: wild\n`,
    key: 'preset',
    line: 3,
    code: 'wrong-value',
    says: /wild/,
  },
  {
    what: 'a bad server',
    yaml: `${HEAD}mcp:\n  x: { cwd: . }\n`,
    key: 'mcp.x',
    line: 4,
    code: 'missing-key',
    says: /command/,
  },
  { what: 'YAML syntax', yaml: `${HEAD}tools: [a\nname: b\n`, key: '', line: 4, code: 'syntax', says: /YAML/ },
  { what: 'a list for an agent', yaml: '- a\n- b\n', key: '', line: 1, code: 'wrong-type', says: /keys and values/ },
  {
    what: 'a secret by its name',
    yaml: `${HEAD}api_key: hunter2-hunter2\n`,
    key: 'api_key',
    line: 3,
    code: 'secret',
    says: /environment variable/,
  },
  {
    what: 'a secret by its looks',
    yaml: `${HEAD}system_prompt: |\n  Use hunter2 or sk-ant-api03-hunter2hunter2hunter2\n`,
    key: 'system_prompt',
    line: 3,
    code: 'secret',
    says: /environment variable/,
  },
];

const FILES = {
  'skein.config.yaml': `mcp:
  github: { command: github-mcp }
providers:
  house: { base_url: http://house.example/v1 }
`,
  'agents/good.ts': `import { tool } from '@skein/core'; export const hello = tool({ name: 'hello', execute: () => 'hi' });`,
  'agents/throws.ts': `throw new Error('the disk is full');`,
  'agents/broken.ts': 'export const = 3;',
  'agents/imports.ts': `import './gone.ts'; export {};`,
  'agents/empty.ts': 'export const x = 3; export default { name: "nothing" };',
};

describe('a bad file is named by file, line and key, with what to do, and the others load', () => {
  test.each(BAD)('$what', async ({ yaml, key, line, code, says }) => {
    const folder = await folderWith({
      ...FILES,
      'agents/a-good.yaml': `name: First\n${HEAD}tools: [./good.ts]\n`,
      'agents/bad.yaml': yaml,
      'agents/c-good.yaml': `name: Last\n${HEAD}`,
    });
    const { config } = await configIn(folder);
    const { agents, problems } = await loadAgents(config.agents, { config, env: {} });
    expect(agents.map(({ name }) => name)).toEqual(['First', 'Last']);
    const file = join(folder, 'agents/bad.yaml');
    expect(problems.every((problem) => problem.file === file)).toBe(true);
    const problem = about(problems, key);
    expect(problem).toMatchObject({ severity: 'error', code, file, line });
    expect(`${problem.message} ${problem.fix}`).toMatch(says);
    expect(problem.fix).not.toBe('');
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    await expect(loadAgent(file, { config, env: {} })).rejects.toThrow(AgentFileError);
  });

  test('everything at once', async () => {
    const bad = Object.fromEntries(BAD.map(({ yaml }, index) => [`agents/bad-${index}.yaml`, yaml]));
    const folder = await folderWith({ ...FILES, ...bad, 'agents/zz.yaml': `name: Alone\n${HEAD}` });
    const { config } = await configIn(folder);
    const { agents, problems } = await loadAgents(config.agents, { config, env: {} });
    expect(agents.map(({ name }) => name)).toEqual(['Alone']);
    expect(new Set(problems.map(({ file }) => file)).size).toBe(BAD.length);
  });

  test('two agents of one name', async () => {
    const folder = await folderWith({ 'a.yaml': `name: Same\n${HEAD}`, 'b.yaml': `# second\nname: Same\n${HEAD}` });
    const { config } = await configIn(folder);
    const { agents, problems } = await loadAgents(folder, { config, env: {} });
    expect(agents.map(({ id }) => id)).toEqual(['a']);
    expect(about(problems, 'name')).toMatchObject({ code: 'duplicate', line: 2, file: join(folder, 'b.yaml') });
  });

  test('a folder that is not there', async () => {
    const folder = await folderWith({});
    const { config } = await configIn(folder);
    const { agents, problems } = await loadAgents(config.agents, { config, env: {} });
    expect(agents).toEqual([]);
    expect(problems[0]).toMatchObject({ code: 'unreadable', severity: 'notice', file: join(folder, 'agents') });
    await expect(loadAgent(join(folder, 'x.yaml'), { config })).rejects.toMatchObject({ code: 'invalid_agent' });
  });
});
