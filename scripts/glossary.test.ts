/** The types that the packages export are named with words of the glossary or with plain words of the field. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { findEntries, readExportedTypes } from './exported-types.ts';
import { root } from './setup.mjs';

const glossary = readFileSync(`${root}docs/glossary.md`, 'utf8');
const terms = [...glossary.matchAll(/\*\*([^*]+)\*\*/g)].map(([, term = '']) => term);

/** Nouns that every programmer in this field knows. A name ends in one of them, or in a term of the glossary. */
const NOUNS = `account address agent answer api application approval array assembler attachment attempt author base block branch budget
  builder bytes cache call callback candidate capability case chain change channel check choice chunk citation class
  client clock code command compaction config configuration conformance connection content context conversation cost
  count counter credential cursor damage decision decoder definition delay delta description deserialization detail difference document
  draft duration edit effect encoder endpoint entry environment error estimate event example export exporter extension fact
  factory failure fault feature fetch field file filter finding flag folder format frame framing function group handle
  handler hash header history hit host id identifier image import importer index info input instruction interval
  item iterator job json key kind label language layer lease length level limit line list listener loader location
  lock log lookup map match media member memory message metadata method modality model module name need note number
  object operation option order outcome output package pair param parameter parser part path pattern payload
  period permission phase piece placeholder platform plugin point policy pool port position preference preset preview price
  problem progress prompt property protocol proxy query question range rate reader reason reasoning record recording redactor
  reference refusal registry replacement reply report request requirement resolver resource response result retry
  role route router row rule runner sample schema schemas scope script search secret section selection sender
  sequence server service settings setup shape signal signer sink size sleep slice snapshot socket source span spec
  split stack statement statistics status step stop storage strategy stream string style subscription subset suite
  summary table tag target task template test text thinking time timeout timestamp title token tool total trace
  tracker traffic transaction transformer translation transport tree trigger turn type unit update url usage use user
  validator value variable verdict version view warning window word worker writer`;

/** Words that stand before a noun: adjectives, participles, verbs of an operation, names of standards and products. */
const MODIFIERS = `aborted absent accepted ai all aws base bound broken by cached called changed chosen compact completed connected
  converted copied created custom default deleted detected discard discarded durable empty encoded exact expected
  extended extra failed filtered final first foreign found full generate generated global google http ignore image import imported
  infer inferred initial inner internal issued json judged kept known last legacy like linked listed live llm load
  loaded local matched mcp media merged missing move moved native new no not observe observed offered older open
  openai otel outer packed parsed partial pending placed planned postgres prepared previous public raw read received
  recorded redact redacted rejected remote removed rendered reported requested required resolved resume retry reused
  saved scheduled scripted select selected sent served server shared sibling simulated single skipped sorted sse
  standard start stored streamed streaming structured summarise supported thinking to tool touched translated under unknown
  listening unresolved unsigned updated uploaded used valid verified web with write written`;

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/(?<=ss|x|ch|sh)es$|(?<=[^s])s$/, '');
const splitWords = (name: string): string[] =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g) ?? []).map((word) => word.toLowerCase());
const readList = (list: string): Set<string> => new Set(list.split(/\s+/).flatMap((word) => [word, singular(word)]));

const explained = readList(terms.flatMap((term) => [term.toLowerCase(), ...splitWords(term)]).join(' '));
const nouns = readList(NOUNS);
const modifiers = readList(MODIFIERS);

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
    expect([...readExportedTypes(entry)].filter((name) => !isPlain(name)).sort()).toEqual([]);
  },
);

/** What the API sends has the names of what it describes; `assertSame` in the server's schemas keeps both alike. */
const SENT = new Set(['Block', 'GenerationEvent', 'Loss', 'Notice']);

test('no two packages export a type by the same name', () => {
  const packagesByName = new Map<string, Set<string>>();
  for (const entry of entries) {
    const [, folder = ''] = relative(root, entry).split('/');
    for (const name of readExportedTypes(entry))
      packagesByName.set(name, (packagesByName.get(name) ?? new Set()).add(folder));
  }
  const shared = [...packagesByName].filter(([name, packages]) => packages.size > 1 && !SENT.has(name));
  expect(shared.map(([name, packages]) => `${name}: ${[...packages].join(', ')}`)).toEqual([]);
});

test('the glossary is in alphabetical order, with one entry for each word', () => {
  const entries = [...glossary.matchAll(/^- \*\*([^*]+)\*\*/gm)].map(([, term = '']) => term.toLowerCase());
  expect(entries).toEqual([...new Set(entries)].sort());
});

test('every entry of the glossary is a whole sentence, and no line of another one is left behind it', () => {
  const entries = glossary.split(/^- (?=\*\*)/m).slice(1);
  expect(entries.filter((entry) => !entry.endsWith('.\n') || /\n {2}[^\n]*\n {2}/.test(entry))).toEqual([]);
});
