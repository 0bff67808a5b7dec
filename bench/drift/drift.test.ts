import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeDrift, readLooked, writeLooked } from './report.mjs';
import { sampleRequests } from './samples.mjs';
import { openTypes, readSurface } from './surface.mjs';
import { watchApi } from './watch.mjs';

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url));
const roots = "export type { Ask as Request, Answer as Reply } from './api';";

const known: Readonly<Record<string, readonly string[]>> = {
  say: ['type', 'text'],
  call: ['type', 'name', 'hints'],
};

/** Knows the API as it was: `say` without a language, no `hint`, no `effort`. */
function judge({ body }: { body: string }) {
  const { input } = JSON.parse(body);
  const refuse = (message: string) => ({
    refusal: { rule: 'toy.unknown-member', status: 400, message, body: '' },
    warnings: [],
  });
  const top = Object.keys(JSON.parse(body)).find((name) => !['model', 'input', 'limit'].includes(name));
  if (top) return refuse(`unknown member ${top}`);
  for (const item of input) {
    const fields = known[item.type];
    if (!fields) return refuse(`unknown item ${item.type}`);
    const extra = Object.keys(item).find((name) => !fields.includes(name));
    if (extra) return refuse(`unknown member ${item.type}.${extra}`);
  }
  return { refusal: undefined, warnings: [] };
}

const watched = {
  api: 'toy',
  package: 'toy',
  roots,
  judge,
  refusals: /unknown/,
  base: { model: 'small', input: [] },
  emulator: ['code'],
  dialect: ['code'],
};

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-drift-'));
  cpSync(fixtures, root, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const look = (over = {}) =>
  watchApi({ ...watched, ...over }, { root, before: join(root, 'before'), after: join(root, 'after') });

test('what the types allow and the emulator refuses is told once, with the place of the schema', () => {
  expect(look().refused).toEqual([
    { name: 'Ask.effort', message: 'unknown member effort', place: 'code' },
    { name: 'Say.language', message: 'unknown member say.language', place: 'code/schema.ts:2' },
    { name: 'Hint.type', message: 'unknown item hint', place: 'code' },
  ]);
});

test('a refusal with evidence is not drift', () => {
  const names = look({ refusedAnyway: { effort: 'recorded', 'Say.language': 'recorded' } }).refused.map(
    ({ name }) => name,
  );
  expect(names).toEqual(['Hint.type']);
});

test('what is new, gone and changed since the last look is told by part', () => {
  const told = look()
    .changes.filter(({ part }) => part === 'Request')
    .map(({ kind, type, member }) => `${kind} ${type}${member ? `.${member}` : ''}`);
  expect(told.sort()).toEqual([
    'changed Ask.limit',
    'changed Ask.model',
    'gone Ask.legacy',
    'new Ask.effort',
    'new Call.hints',
    'new Hint',
    'new Say.language',
  ]);
});

test('types of answers that the sources do not name are listed', () => {
  expect(look().unknown).toEqual([{ part: 'Reply', name: 'hint' }]);
});

test('the key by which a union of AWS tells its variants apart is a name, too', () => {
  const types = openTypes(join(root, 'after'), "export type { Block as Reply } from './keyed';");
  const tags = [...readSurface(types, types.root('Reply'), 'Reply').values()].flatMap(({ tags: own }) => [...own]);
  expect(tags.sort()).toEqual(['image', 'text']);
});

test('a member that the emulator only warns about is told', () => {
  const warns: typeof judge = (request) => {
    const verdict = judge(request);
    const { settings } = request as { settings?: { refuseUnknown?: boolean } };
    return settings?.refuseUnknown ? verdict : { refusal: undefined, warnings: [] };
  };
  expect(look({ judge: warns }).refused.map(({ name }) => name)).toContain('Ask.effort');
});

test('samples contain every member and literal, also of types that contain themselves', () => {
  const types = openTypes(join(root, 'after'), roots);
  const samples = [...sampleRequests(types, types.root('Request'), watched.base)];
  const names = new Set(samples.map(({ type, member }) => `${type}.${member}`));
  expect([...names].sort()).toEqual([
    'Ask.effort',
    'Ask.input',
    'Ask.limit',
    'Ask.model',
    'Call.hints',
    'Call.name',
    'Call.type',
    'Hint.hint',
    'Hint.on',
    'Hint.type',
    'Say.language',
    'Say.text',
    'Say.type',
  ]);
  const efforts = samples.filter(({ member }) => member === 'effort').map(({ body }) => body);
  expect(efforts).toEqual([
    { model: 'small', input: [], effort: 'low' },
    { model: 'small', input: [], effort: 'high' },
  ]);
});

test('a root that the release does not export is an error, not an empty surface', () => {
  expect(() => look({ roots: "export type { Gone as Request } from './api';" })).toThrow(/Request/);
});

test('the table of releases is read and written', () => {
  const page =
    '| package | release | date |\n|---|---|---|\n| `toy` | 1.0.0 | 2026-01-01 |\n| `other` | 2.0.0 | 2026-01-01 |\n';
  expect(readLooked(page)).toEqual(
    new Map([
      ['toy', '1.0.0'],
      ['other', '2.0.0'],
    ]),
  );
  expect(writeLooked(page, new Map([['toy', '1.1.0']]), '2026-02-03')).toContain(
    '| `toy` | 1.1.0 | 2026-02-03 |\n| `other` | 2.0.0 |',
  );
});

test('the report names the releases, and says that nothing was found', () => {
  const text = describeDrift(
    'toy',
    { package: 'toy', before: '1.0.0', after: '1.1.0' },
    { samples: 3, refused: [], unknown: [], changes: [] },
  );
  expect(text).toBe('toy: toy 1.0.0 → 1.1.0, 3 requests judged\n  nothing new, nothing refused');
});
