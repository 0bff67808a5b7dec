/** Editors and the reference show doc comments: everything that the packages export has one, and every function an example. */
import { relative } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { findEntries } from './exported-types.ts';
import { root } from './setup.mjs';

const entries = findEntries(root);
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile) as { config: object };
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: entries }, ts.sys, root);
const program = ts.createProgram(entries, options);
const checker = program.getTypeChecker();

function readExports(entry: string): ts.Symbol[] {
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${entry} is not a module`);
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
}

const hasComment = (symbol: ts.Symbol): boolean => symbol.getDocumentationComment(checker).length > 0;
const hasExample = (symbol: ts.Symbol): boolean => symbol.getJsDocTags(checker).some(({ name }) => name === 'example');
const isFunction = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.Function) !== 0;

/** The name and the file of each symbol, so that a failure says where to write. */
const list = (symbols: readonly ts.Symbol[]): string[] =>
  symbols.map(
    ({ name, declarations }) => `${name} (${relative(root, declarations?.[0]?.getSourceFile().fileName ?? '')})`,
  );

test.each(entries.map((entry) => [relative(root, entry), entry]))(
  'the exports of %s are documented',
  (_name, entry) => {
    const symbols = readExports(entry);
    expect(symbols.length).toBeGreaterThan(0);
    expect(list(symbols.filter((symbol) => !hasComment(symbol)))).toEqual([]);
    expect(list(symbols.filter((symbol) => isFunction(symbol) && !hasExample(symbol)))).toEqual([]);
  },
);
