import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

const BLOCKS = `${root}packages/core/src/message/blocks.ts`;

/** Core's blocks with one more kind, as the guide adds it. */
function withAnotherKind(): string {
  const text = readFileSync(BLOCKS, 'utf8');
  const more = text.replace('\n  | UnknownBlock;\n', '\n  | UnknownBlock\n  | LocationBlock;\n');
  expect(more).not.toBe(text);
  return `${more}\nexport interface LocationBlock {\n  readonly type: 'location';\n  readonly latitude: number;\n}\n`;
}

/** Whether it is a source that can tell kinds of blocks apart: to check all of the others takes half a minute. */
function isSource(file: string): boolean {
  if (!file.startsWith(`${root}packages/`) || !file.includes('/src/') || /\.test\.tsx?$/.test(file)) return false;
  return /Block\b|\.content\b|'tool-use'/.test(readFileSync(file, 'utf8'));
}

const guide = readFileSync(`${root}docs/guides/add-a-kind-of-block.md`, 'utf8');

test('every file and folder that the guide names exists', () => {
  const named = [...guide.matchAll(/`(packages\/[^`]+)`/g)]
    .map(([, file]) => file!)
    .filter((file) => file.includes('/src'));
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((file) => !existsSync(root + file))).toEqual([]);
});

test('the compiler leads a new kind of block to the places that the guide lists, and to no other', {
  timeout: 300_000,
}, () => {
  const listed = [...guide.matchAll(/^\| `(packages\/[^`]+\.ts)` \|/gm)].map(([, file]) => file!);
  const read = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
  const sources = fileNames.filter(isSource);
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  host.getSourceFile = (file, version) => {
    const text = file === BLOCKS ? withAnotherKind() : readFile(file);
    return text === undefined ? undefined : ts.createSourceFile(file, text, version);
  };
  const program = ts.createProgram(sources, options, host);
  const failing = sources.filter((file) => program.getSemanticDiagnostics(program.getSourceFile(file)).length > 0);
  expect(failing.map((file) => file.slice(root.length)).sort()).toEqual(listed.sort());
});
