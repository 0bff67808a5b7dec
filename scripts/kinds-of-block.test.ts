import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

/** A definition of the blocks with one more kind, as the guide adds it. */
interface Definition {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

const CORE: Definition = {
  file: `${root}packages/core/src/message/blocks.ts`,
  before: '\n  | UnknownBlock;\n',
  after:
    "\n  | UnknownBlock\n  | LocationBlock;\nexport interface LocationBlock {\n  readonly type: 'location';\n  readonly latitude: number;\n}\n",
};

const SERVER: Definition = {
  file: `${root}packages/server/src/api/schemas/blocks.ts`,
  before: '\n  | z.infer<typeof UnknownBlock>;\n',
  after: "\n  | z.infer<typeof UnknownBlock>\n  | { type: 'location'; latitude: number };\n",
};

function withAnotherKind({ file, before, after }: Definition): string {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(before);
  return text.replace(before, after);
}

/** What hands on names tells no kinds apart: to check the types of our HTTP client alone takes six seconds. */
const REEXPORT = /^export (?:type )?\{[^}]*\} from .*$/gm;

/** Whether it is a source that can tell kinds of blocks apart: to check all of the others takes half a minute. */
function isSource(file: string): boolean {
  if (!file.startsWith(`${root}packages/`) || !file.includes('/src/') || /\.test\.tsx?$/.test(file)) return false;
  const text = readFileSync(file, 'utf8').replace(REEXPORT, '');
  return /Block\b|\.content\b|'tool-use'/.test(text);
}

const guide = readFileSync(`${root}docs/guides/add-a-kind-of-block.md`, 'utf8');

test('every file and folder that the guide names exists', () => {
  const named = [...guide.matchAll(/`(packages\/[^`]+)`/g)]
    .map(([, file]) => file!)
    .filter((file) => file.includes('/src'));
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((file) => !existsSync(root + file))).toEqual([]);
});

/** The files that the guide lists in its tables: those of the page, or all others. */
const listed = (ofPage: boolean) =>
  [...guide.matchAll(/^\| `(packages\/[^`]+\.tsx?)` \|/gm)]
    .map(([, file]) => file!)
    .filter((file) => file.startsWith('packages/web/') === ofPage);

test.each([
  ['the packages', 'tsconfig.json', CORE, listed(false)],
  ['the page', 'packages/web/tsconfig.json', SERVER, listed(true)],
])(
  'the compiler leads a new kind of block to the places of %s that the guide lists, and to no other',
  { timeout: 300_000 },
  (_what, config, definition, places) => {
    const read = ts.readConfigFile(root + config, ts.sys.readFile);
    const { options, fileNames } = ts.parseJsonConfigFileContent(read.config, ts.sys, dirname(root + config));
    const sources = fileNames.filter(isSource);
    const host = ts.createCompilerHost(options);
    const readFile = host.readFile.bind(host);
    host.getSourceFile = (file, version) => {
      const text = file === definition.file ? withAnotherKind(definition) : readFile(file);
      return text === undefined ? undefined : ts.createSourceFile(file, text, version);
    };
    const program = ts.createProgram(sources, options, host);
    const failing = sources.filter((file) => program.getSemanticDiagnostics(program.getSourceFile(file)).length > 0);
    expect(places.length).toBeGreaterThan(4);
    expect(failing.map((file) => file.slice(root.length)).sort()).toEqual(places.sort());
  },
);
