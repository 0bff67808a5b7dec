import { en } from './en.ts';

/** The texts of the page, by key. Another language is another catalogue with the same keys. */
type Catalogue = typeof en;
export type WordKey = keyof Catalogue;

/** The names between braces in a text. */
type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Texts<Entry> = Entry extends { readonly other: infer Other } ? Other : Entry;
type Values<Key extends WordKey> = { readonly [Name in Names<Texts<Catalogue[Key]>>]: string | number };

/** The language of numbers, dates and plurals, too. */
const LANGUAGE = 'en';

const plurals = new Intl.PluralRules(LANGUAGE);

/**
 * The text of a key, with its values filled in. A text with `one` and `other` is chosen by `count`.
 *
 * @example
 * t('compare.branch', { number: 2 })
 */
export function t<Key extends WordKey>(
  key: Key,
  ...[values]: [Names<Texts<Catalogue[Key]>>] extends [never] ? [] : [Values<Key>]
): string {
  const given: Readonly<Record<string, string | number>> = values ?? {};
  return fill(choose(en[key], given.count), given);
}

type Entry = string | { readonly one: string; readonly other: string };

function choose(entry: Entry, count: string | number | undefined): string {
  if (typeof entry === 'string') return entry;
  return plurals.select(Number(count)) === 'one' ? entry.one : entry.other;
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === 'number' ? value.toLocaleString(LANGUAGE) : value;
  });
}
