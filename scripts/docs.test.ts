/** The documentation: every JavaScript sample runs, every command exists, every link has a target. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@skein/agents';
import { says, startEmulator } from '@skein/emulator';
import { createForest, memoryStore } from '@skein/forest';
import { createServer } from '@skein/server';
import { afterEach, expect, test, vi } from 'vitest';
import { createProgram } from '../packages/cli/src/program.ts';
import { type Prepared, prepareSamples } from './docs-samples.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => ({ path, text: readFileSync(join(root, path), 'utf8') });
const pages = ['README.md', ...under('docs')].map(read);
const packages = readdirSync(join(root, 'packages'));
const others = ['CHANGELOG.md', 'CONTRIBUTING.md', ...packages.map((name) => `packages/${name}/README.md`)].map(read);

/** Pages whose samples are run by tests of their own packages. */
const RUN_ELSEWHERE = ['docs/forest.md', 'docs/engine.md'];
const runnable = pages.filter(({ path, text }) => /```(ts|js) run\n/.test(text) && !RUN_ELSEWHERE.includes(path));

function under(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

const call = { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] } as const;

type Answers = readonly (ReturnType<typeof says> | typeof call)[];

/** The scripted answers on a page, by protocol; otherwise the providers echo. */
const SCRIPTS: Readonly<Record<string, Readonly<Record<string, Answers>>>> = {
  'README.md': {
    'anthropic-messages': [call, says('It is cold in Oslo.')],
    'openai-responses': [says('It is warm in Rome.')],
  },
  'docs/guides/add-a-provider.md': { 'openai-chat': [says('Welcome to the house.')] },
  'docs/guides/from-ai-sdk.md': {
    'anthropic-messages': [
      ...[call, says('It is cold in Oslo.'), says('{"city":"Oslo","people":700000}'), says('Hello yourself.')],
    ],
  },
  'docs/guides/from-fluent-llm.md': {
    'anthropic-messages': [says('Oslo.'), says('Cold.')],
    'openai-responses': [says('Warmer.')],
  },
  'docs/guides/from-goaitools.md': {
    'openai-chat': [says('In Harrogate.')],
    'anthropic-messages': [says('At the theatre.')],
  },
  'docs/guides/from-langchain.md': { 'anthropic-messages': [call, says('It is cold in Oslo.')] },
  'docs/guides/from-synapse.md': { 'anthropic-messages': [call, says('It is cold in Oslo.')] },
  'docs/guides/openai-sdk-with-claude.md': { 'anthropic-messages': [says('I come from Anthropic.')] },
  'docs/pages-of-others.md': { 'anthropic-messages': [says('It is cold in Oslo.'), says('It is cold in Oslo.')] },
  'docs/state-format.md': { 'anthropic-messages': [says('Good day.')] },
  'docs/guides/record-an-app.md': { 'openai-chat': [says('Good morning.')] },
};

/** Files that the samples of a page read. */
const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/import-export.md': {
    'conversations.json': '[{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}]',
  },
  'docs/guides/from-synapse.md': {
    'todoist.yaml': `provider: anthropic\nmodel: claude-sonnet-5\nsystem_prompt: Be brief.\ntools: [./weather.mjs]\n`,
    'weather.mjs': `import { tool } from '@skein/core';\nexport const weather = tool({ name: 'get_weather', execute: () => 'cold' });\n`,
  },
};

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const step of undo.splice(0).reverse()) await step();
});

test.each(runnable.map(({ path, text }) => [path, text]))(
  'the samples of %s run, and print what they say',
  async (path, text) => {
    const emulator = await startEmulator({ sleep: async () => {} });
    for (const [protocol, answers] of Object.entries(SCRIPTS[path] ?? {}))
      emulator.script(protocol as Parameters<typeof emulator.script>[0], answers);
    const folder = mkdtempSync(join(tmpdir(), 'skein-docs-'));
    for (const [name, content] of Object.entries(FILES[path] ?? {})) writeFileSync(join(folder, name), content);
    const before = process.cwd();
    process.chdir(folder);
    undo.push(
      () => rmSync(folder, { recursive: true, force: true }),
      () => process.chdir(before),
      () => emulator.close(),
    );
    for (const [name, value] of Object.entries(emulator.env())) vi.stubEnv(name, value);
    if (text.includes('SKEIN_URL')) vi.stubEnv('SKEIN_URL', await startServer());
    const prepared: Prepared = prepareSamples(text);
    const printed = [...text.matchAll(/^ *console\.log\(.*\/\/ /gm)].length;
    expect(prepared.expected).toHaveLength(printed);
    expect(await prepared.run()).toEqual(prepared.expected);
    for (const { verdict } of emulator.log) expect(verdict.refusal).toBeUndefined();
  },
);

/** A server for samples of clients, on the emulator that the variables name. */
async function startServer(): Promise<string> {
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const server = await createServer({ forest: createForest(memoryStore()), config }).listen({ port: 0 });
  undo.push(() => server.close());
  return server.url;
}

const commands = new Map(createProgram('0.0.0').commands.map((command) => [command.name(), command]));

test.each(pages.map(({ path, text }) => [path, text]))('the commands in %s exist, with their flags', (_path, text) => {
  const blocks = [...text.matchAll(/```(?:sh|)\n(.*?)```/gs)].map(([, code = '']) => code).join('\n');
  const lines = blocks
    .split('\n')
    .flatMap((line) => (/(?:^|[$|] |npx )skein( .*)?$/.exec(line.replace(/\s+#.*$/, '')) ?? []).slice(1, 2));
  for (const given of lines) {
    const [words = ''] = (given ?? '').split(' -- ');
    const [name = 'serve'] = /^ ([a-z]+)/.exec(words)?.slice(1) ?? [];
    const command = commands.get(name);
    expect(command, `skein${given}`).toBeDefined();
    const flags = [...words.matchAll(/ (--[a-z-]+)/g)].map((match) => match[1]);
    for (const flag of flags)
      expect(
        command?.options.map(({ long }) => long),
        `skein${given}`,
      ).toContain(flag);
  }
});

test.each([...pages, ...others].map(({ path, text }) => [path, text]))(
  'the links in %s lead somewhere',
  (path, text) => {
    const links = [...text.replace(/```.*?```/gs, '').matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
    for (const link of links.filter((one) => !/^[a-z]+:/.test(one))) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : relative(root, join(root, dirname(path), file));
      expect(existsSync(join(root, target)), `${link} in ${path}`).toBe(true);
      if (anchor !== undefined) expect(anchors(readFileSync(join(root, target), 'utf8')), link).toContain(anchor);
    }
  },
);

function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every page is in the index', () => {
  const index = readFileSync(join(root, 'docs', 'README.md'), 'utf8');
  const missing = pages
    .map(({ path }) => path.replace('docs/', ''))
    .filter((path) => path !== 'README.md' && !index.includes(`(${path})`));
  expect(missing).toEqual([]);
});

test('README counts the providers as their list does', () => {
  const rows = [
    ...read('docs/providers.md').text.matchAll(/^\| `[a-z`, -]+ \| `[a-z-]+` \|.*\| (recordings|data only) \|$/gm),
  ];
  const checked = rows.filter(([, by]) => by === 'recordings').length;
  const { text } = read('README.md');
  expect(text).toContain(`| providers | ${rows.length} ⁴ |`);
  expect(checked === 16 && text.includes('⁴ Sixteen of them were checked')).toBe(true);
});

test.each(packages)('the README of %s says what each folder is for', (name) => {
  const { text } = read(`packages/${name}/README.md`);
  const folders = readdirSync(join(root, 'packages', name, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const named = [...text.matchAll(/^\| `([a-z]+)` \|/gm)].map((match) => match[1]);
  expect(named.toSorted()).toEqual(folders.toSorted());
});
