import { readFileSync } from 'node:fs';
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

test('the compiler leads a new kind of block to every place that the guide names', { timeout: 120_000 }, () => {
  const guide = readFileSync(`${root}docs/guides/add-a-kind-of-block.md`, 'utf8');
  const places = [...guide.matchAll(/^\| `(packages\/[^`]+\.ts)` \|/gm)].map(([, file]) => `${root}${file}`);
  expect(places.length).toBeGreaterThan(4);
  const read = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...read.config, include: [], files: places }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  host.getSourceFile = (file, version) => {
    const text = file === BLOCKS ? withAnotherKind() : readFile(file);
    return text === undefined ? undefined : ts.createSourceFile(file, text, version);
  };
  const program = ts.createProgram(places, options, host);
  const silent = places.filter((file) => program.getSemanticDiagnostics(program.getSourceFile(file)).length === 0);
  expect(silent).toEqual([]);
});
