/** The types that the packages export are named with words of the glossary or with plain words of the field. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { findEntries, readExportedTypes } from './exported-types.ts';
import { root } from './setup.mjs';

const glossary = readFileSync(`${root}docs/glossary.md`, 'utf8');
const terms = [...glossary.matchAll(/\*\*([^*]+)\*\*/g)].map(([, term = '']) => term);

/** Nouns that every programmer in this field knows. A name ends in one of them, or in a term of the glossary. */
const NOUNS = `address agent answer api application approval array assembler base block branch budget builder bytes cache call candidate case chain change
  channel check choice chunk citation class client clock code command compaction config configuration conformance connection content context
  conversation cost count damage decision decoder definition delay delta deserialization detail difference document draft edit encoder endpoint entry environment
  error event example export fact factory failure fault feature fetch field file filter finding flag format frame framing function group handler
  hash header history hit id image import importer exporter info input interval item json key kind length level limit line list log lookup map match
  media member memory message metadata method modality model name need note object option order outcome output package pair param
  parameter parser part path pattern payload piece plugin point policy position preset preview price problem progress prompt property
  protocol proxy query range rate reader reason reasoning record recording reference refusal registry reply report request response result
  retry role route row rule sample schema schemas scope search secret selection sender server service settings setup shape signal signer sink size
  slice sleep snapshot source spec split statistics status step stop strategy stream string style subset summary suite table tag target
  task template test text thinking time timeout title token tool total trace transformer transport tree turn type unit update url usage use user
  value variable verdict version view warning worker writer`;

/** Words that stand before a noun: adjectives, participles, verbs of an operation, names of standards and products. */
const MODIFIERS = `absent ai all base bound broken by called chosen compact converted custom default discard durable empty encoded exact expected extra
  extended final first foreign found full generate global image import infer inferred imported initial inner internal issued json judged kept known last legacy like
  linked listed live llm load loaded local mcp media missing move native new no not observe offered older open openai otel outer packed parsed partial
  pending placed postgres previous public raw read recorded redact redacted rejected remote removed resolved resume retry saved scripted select
  selected sent server served shared sibling single skipped sorted sse standard start stored streamed streaming structured summarise thinking
  to tool under unknown used valid web with write written`;

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/(?<=ss|x|ch|sh)es$|(?<=[^s])s$/, '');
const splitWords = (name: string): string[] =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g) ?? []).map((word) => word.toLowerCase());
const readList = (list: string): Set<string> => new Set(list.split(/\s+/).flatMap((word) => [word, singular(word)]));

const explained = readList(terms.flatMap((term) => [term.toLowerCase(), ...splitWords(term)]).join(' '));
const nouns = readList(NOUNS);
const modifiers = readList(MODIFIERS);

/** Names that still have to be replaced by plain ones. The list may only become shorter. */
const LEFT = new Set(
  `Asking Compacted Connecting CostOf Discarded ModelLimitsOf NotAwaitable Observed Outgoing Wish DialectServe FetchLike Rerun Listening
  Redact`.split(/\s+/),
);

/** Whether a reader can understand the name: whole in the glossary, or plain words that end in a noun. */
function isPlain(name: string): boolean {
  if (terms.includes(name)) return true;
  const words = splitWords(name).map(singular);
  const isNoun = (word: string) => nouns.has(word) || explained.has(word);
  return isNoun(words.at(-1) ?? '') && words.every((word) => isNoun(word) || modifiers.has(word));
}

test.each(['MessageReader', 'TakeRecord', 'StoredManifest', 'ProviderErrorCode'])('%s is a plain name', (name) => {
  expect(isPlain(name)).toBe(true);
});

test.each(['Rehung', 'Found', 'CostOf', 'WishList', 'TextPen', 'Asking'])('%s is not', (name) => {
  expect(isPlain(name)).toBe(false);
});

const entries = findEntries(root);

test('the entry points are found', () => {
  const found = entries.map((entry) => relative(root, entry));
  expect(found).toContain('packages/core/src/index.ts');
  expect(found).toContain('packages/forest/src/store.ts');
  expect(entries.flatMap((entry) => [...readExportedTypes(entry)]).length).toBeGreaterThan(100);
});

test.each(entries.map((entry) => [relative(root, entry), entry]))(
  'the types of %s have plain names',
  (_name, entry) => {
    expect([...readExportedTypes(entry)].filter((name) => !isPlain(name) && !LEFT.has(name)).sort()).toEqual([]);
  },
);

test('the glossary is in alphabetical order, with one entry for each word', () => {
  const entries = [...glossary.matchAll(/^- \*\*([^*]+)\*\*/gm)].map(([, term = '']) => term.toLowerCase());
  expect(entries).toEqual([...new Set(entries)].sort());
});
