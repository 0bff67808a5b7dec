/** Names of models age. Documentation, examples and messages name only those that core lists as current. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentModels } from '@skein/core';
import { listedModels } from '@skein/core/prices';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

/** Files in which other names are facts: what was measured, what a provider accepted, what a program has built in. */
const FACTS = [
  'docs/benchmarks.md',
  'docs/caching.md',
  'docs/clients.md',
  'docs/conformance.md',
  'docs/decisions.md',
  'docs/drift.md',
  'docs/gateway-losses.md',
  'docs/new-members.md',
  'docs/reliability.md',
  'docs/wire-rules.md',
  'packages/cli/src/context/agent-programs.ts',
  'packages/core/src/dialects/anthropic-messages/provider.ts',
  'packages/core/src/dialects/google-generatecontent/provider.ts',
  'packages/core/src/providers/built-in.ts',
  'packages/core/src/providers/model-info.ts',
  'packages/forest/src/caching/cache-rules.ts',
];
/** Facts on other pages, each with what it is. */
const SINGLE_FACTS: Readonly<Record<string, string>> = {
  'claude-opus-4-8': 'a family of which docs/providers.md says what it takes',
  'gpt-5.6': 'since when OpenAI takes cache markers, in docs/requests.md',
};

const MODEL = /\b(?:claude-(?:(?:opus|sonnet|haiku|fable)-)?\d[\w.-]*\w|gpt-\d[\w.-]*\w|gemini-\d[\w.-]*\w)(?![\w*-])/g;

/** They show the page in README, and the page in every state. */
const pictures = ['scripts/take-pictures.mjs', 'scripts/page-world.mjs'];
const files = ['README.md', ...pictures, ...['docs', 'examples', 'packages'].flatMap(list)].filter(
  (path) =>
    (/\.(md|mjs)$/.test(path) || /^packages\/(?!emulator)[^/]+\/src\/.*\.tsx?$/.test(path)) &&
    !/node_modules|\/dist|\.test\.tsx?$|\/test\/|\/test-[^/]*$/.test(path) &&
    !FACTS.includes(path),
);

function list(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return ['node_modules', 'dist', 'dist-node'].includes(entry.name) ? [] : list(path);
  });
}

test('only current models are named', () => {
  const current = Object.values(currentModels).map((name) => name.slice(name.indexOf('/') + 1));
  expect(files).toContain('examples/run.mjs');
  const stale = files.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(MODEL)]
      .map(([name]) => name)
      .filter((name) => !current.includes(name) && !(name in SINGLE_FACTS))
      .map((name) => `${path}: ${name}`),
  );
  expect(stale).toEqual([]);
  expect('claude-sonnet-4-5 and gpt-4o'.match(MODEL)).toEqual(['claude-sonnet-4-5', 'gpt-4o']);
});

test('the price list knows the current models', () => {
  const unknown = Object.values(currentModels).filter((name) => {
    const [provider = '', model = ''] = name.split('/');
    return !listedModels(provider).includes(model);
  });
  expect(unknown).toEqual([]);
});
