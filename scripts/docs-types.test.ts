/** The TypeScript samples of the documentation compile. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

/** Pages whose samples are lines of a test that also runs them. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/builder.md': 'packages/core/test/docs-samples.test.ts',
  'docs/chat.md': 'packages/core/test/docs-samples.test.ts',
  'docs/compaction.md': 'packages/core/test/docs-samples.test.ts',
  'docs/dialects.md': 'packages/core/test/docs-samples.test.ts',
  'docs/emulator.md': 'packages/emulator/test/docs.test.ts',
  'docs/message-lists.md': 'packages/core/test/docs-samples.test.ts',
  'docs/running.md': 'packages/core/test/docs-samples.test.ts',
  'docs/tools.md': 'packages/core/test/docs-samples.test.ts',
};

/** What a page takes for granted: names that its sentences explain, and the SDKs that its readers have. */
const GIVEN: Readonly<Record<string, string>> = {
  'docs/agents.md': `
import { system, user } from 'skein';
import type { Agent } from 'skein/agents';
import { createEngine, createForest, memoryStore, ROOT } from 'skein/forest';
declare const agent: Agent;
const forest = createForest(memoryStore());
const engine = createEngine(forest);
declare function save(title: string): Promise<string>;`,
  'docs/conformance.md': `
/** @type {(turn: import('../adapter.mjs').Turn, messages: object[]) => Promise<object>} */
const askMyLibrary = async () => ({});`,
  'docs/engine.md': `
declare const env: Record<string, string>;`,
  'docs/messages.md': `
import { user, type Reply } from 'skein';
declare const bodyText: string, data: string;
declare const call: { readonly id: string };
declare const reply: Reply;`,
  'docs/postgres.md': `
import { Pool } from 'pg';
const pool = new Pool();`,
  'docs/providers.md': `
import { selectModel, type Reply, type RunError } from 'skein';
declare const error: RunError;
declare const reply: Reply;
declare const body: string;
declare function sendAgainWith(options: object): void;`,
  'docs/proxy.md': `
import type { Config } from 'skein/agents';
import type { Forest } from 'skein/forest';
declare const forest: Forest;
declare const config: Config;`,
  'docs/recording.md': `
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { createForest, memoryStore, recordFetch } from 'skein/forest';
const forest = createForest(memoryStore());
declare const apiKey: string;`,
  'docs/requests.md': `
import { anthropicMessages, type Manifest, type Message } from 'skein';
declare const messages: readonly Message[];
declare const manifest: Manifest;
declare const text: string;`,
  'docs/stores.md': `
import { test } from 'node:test';
import { fileStore, type Store } from 'skein/forest';
declare function myStore(): Promise<Store>;`,
};

/** Where the sample of a page would be saved, if it imports files beside it; elsewhere any place will do. */
const PLACES: Readonly<Record<string, string>> = {
  'docs/conformance.md': 'bench/conformance/adapters/my-library.mjs',
  'docs/guides/add-a-store.md': 'examples/sqlite-store/my-app.ts',
};

interface Sample {
  readonly page: string;
  /** The samples of one section as a module: later ones see the names of earlier ones. */
  readonly code: string;
}

const samples: readonly Sample[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
    (name) => `docs/${name.replaceAll('\\', '/')}`,
  ),
]
  .filter((page) => page.endsWith('.md') && !(page in RUN_ELSEWHERE))
  .flatMap((page) => {
    const fence = PLACES[page]?.endsWith('.mjs') ? 'js' : 'ts';
    const text = readFileSync(join(root, page), 'utf8');
    // Samples that are run are one program.
    const sections = text.includes('```ts run\n') ? [text] : text.split(/^##+ /m);
    return sections.flatMap((section) => {
      const found = [...section.matchAll(/^```(\w+)(?: run)?\n(.*?)^```/gms)].filter(([, name]) => name === fence);
      return found.length === 0
        ? []
        : [
            {
              page,
              code: toModule(
                GIVEN[page] ?? '',
                found.map(([, , code = '']) => code),
              ),
            },
          ];
    });
  });

/** Samples may declare the names that are given, so they stand in a block. */
function toModule(given: string, samples: readonly string[]): string {
  const [head, ...bodies] = [given, ...samples].map((text) => text.replace(/^import .*$/gm, ''));
  const imports = [given, ...samples].flatMap((text) => text.match(/^import .*$/gm) ?? []);
  const body = bodies
    .join('\n')
    .replace(/^export default (.*);$/gm, 'void $1;')
    .replace(/^export /gm, '');
  return `${uniteImports(imports)}\nexport {};${head}\n{\n${body}}\n`;
}

/** Two samples may import the same name. */
function uniteImports(lines: readonly string[]): string {
  const named = new Map<string, Set<string>>();
  const others = new Set<string>();
  for (const line of lines) {
    const [, type = '', names, from] = /^import (type )?\{ (.*) \} from '(.*)';$/.exec(line) ?? [];
    if (names === undefined || from === undefined) others.add(line);
    else for (const name of names.split(', ')) named.set(from, (named.get(from) ?? new Set()).add(`${type}${name}`));
  }
  return [...others, ...[...named].map(([from, names]) => `import { ${[...names].join(', ')} } from '${from}';`)].join(
    '\n',
  );
}

/** The compiler's errors in the samples, each with its page and line. */
function check(samples: readonly Sample[]): string[] {
  const read = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
  const files = new Map(
    samples.map((sample, index) => [
      join(root, PLACES[sample.page] ?? `packages/server/test/sample-${index}.ts`),
      sample,
    ]),
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file)?.code ?? readFile(file);
  host.getSourceFile = (file, version) => {
    const text = host.readFile(file);
    return text === undefined ? undefined : ts.createSourceFile(file, text, version);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files].flatMap(([file, { page }]) => {
    const source = program.getSourceFile(file)!;
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ start = 0, messageText }) => {
      const { line } = source.getLineAndCharacterOfPosition(start);
      return `${page}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}\n  ${source.text.split('\n')[line]}`;
    });
  });
}

test('every TypeScript sample compiles, and a wrong one would not', { timeout: 300_000 }, () => {
  const wrong = { page: 'a wrong sample', code: "import { run } from '@skein/core';\nrun({ modell: 'a/b' });\n" };
  expect(samples.map(({ page }) => page)).toContain('docs/stores.md');
  const [last = '', ...others] = check([...samples, wrong]).reverse();
  expect(others).toEqual([]);
  expect(last).toContain("'modell' does not exist");
});

test('a page whose samples are run elsewhere is named by the test that runs them', () => {
  for (const [page, file] of Object.entries(RUN_ELSEWHERE)) {
    expect(existsSync(join(root, page)), page).toBe(true);
    expect(readFileSync(join(root, file), 'utf8'), file).toContain(page.replace(/\.md$/, ''));
  }
});
