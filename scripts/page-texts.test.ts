import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { findVisibleTexts } from './page-texts.ts';

const SOURCE = new URL('../packages/web/src/', import.meta.url);

const paths = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.tsx?$/.test(path) && !/\.test\.|^words\b/.test(path),
);

test('every text that the page shows is in the catalogue', () => {
  const outside = paths.flatMap((path) => {
    const file = parse(path, readFileSync(new URL(path, SOURCE), 'utf8'));
    return findVisibleTexts(file).map(({ node, text }) => {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      return `${path}:${line + 1}: ${text.trim()}`;
    });
  });
  expect(outside).toEqual([]);
});

test('numbers, dates and orders follow the language of the catalogue', () => {
  const own = /(?:toLocale\w*|Intl\.\w+|localeCompare)\([^)]*(?:'en|undefined)|toLocale(?:Date|Time)?String\(\)/;
  expect(paths.filter((path) => own.test(readFileSync(new URL(path, SOURCE), 'utf8')))).toEqual([]);
});

test('texts are found wherever they stand, and names of the page itself are not', () => {
  const written = [
    '<p>Words of a page</p>',
    "<b title='a title'>{isOn ? 'on' : 'off'}</b>",
    "toast('It was deleted.', { title: 'Undo' })",
    '<i aria-label={`More about $' + '{name}`} />',
    "const LABELS = { all: 'All of them' }",
    "if (cost === null) return 'no price known'",
    "t('message.waits', { why: isOpen ? 'for the call that it continues' : '' })",
    'const what = `$' + '{count} things lost`',
    'return `calls $' + '{name}`',
    "<Fact name='Project' value={project} />",
    "names.join(' or ')",
    "words.replace('could not', 'cannot')",
  ];
  for (const one of written) expect(found(one), one).not.toEqual([]);
  const silent = [
    "<p className='flex grow'>{t('usage.title')}</p>",
    "if (key === 'Escape') stop('Enter')",
    "type Kind = 'Some kind'",
    "const one = { keys: ['Alt+ArrowUp'], group: 'view', id: 'Raw' }",
    "fetch('/api/v1/threads')",
  ];
  for (const one of silent) expect(found(one), one).toEqual([]);
});

function found(code: string): readonly string[] {
  return findVisibleTexts(parse('a.tsx', code)).map(({ text }) => text);
}

function parse(path: string, code: string): ts.SourceFile {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true, kind);
}
