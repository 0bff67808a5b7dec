import { createElement, Fragment, type ReactNode } from 'react';
import { en } from './en.ts';

/** The texts of the page, by key. Another language is another catalogue with the same keys. */
type Catalogue = typeof en;
export type WordKey = keyof Catalogue;

/** The names between braces in a text. */
type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Texts<Entry> = Entry extends { readonly other: infer Other } ? Other : Entry;
/** A text with `one` and `other` also takes the `count` that chooses between them. */
type ValueNames<Key extends WordKey> =
  | Names<Texts<Catalogue[Key]>>
  | (Catalogue[Key] extends { readonly other: string } ? 'count' : never);
type Values<Key extends WordKey, Value> = { readonly [Name in ValueNames<Key>]: Value };

/** The language of numbers, dates and plurals, too. */
export const LANGUAGE = 'en';

const plurals = new Intl.PluralRules(LANGUAGE);
const numbers = new Intl.NumberFormat(LANGUAGE);

/**
 * The text of a key, with its values filled in. A text with `one` and `other` is chosen by `count`.
 *
 * @example
 * t('compare.branch', { number: 2 })
 */
export function t<Key extends WordKey>(
  key: Key,
  ...[values]: [ValueNames<Key>] extends [never] ? [] : [Values<Key, string | number>]
): string {
  const given: Readonly<Record<string, string | number>> = values ?? {};
  return fill(choose(en[key], given.count), given);
}

/**
 * The same with elements as values, for sentences that contain a link, a key or a name. Whoever translates them can reorder the parts.
 *
 * @example
 * tx('threads.no-bookmarks-about', { key: <Kbd>b</Kbd> })
 */
export function tx<Key extends WordKey>(key: Key, values: Values<Key, ReactNode>): ReactNode {
  const given: Readonly<Record<string, ReactNode>> = values;
  const count = given.count;
  const text = choose(en[key], typeof count === 'number' ? count : undefined);
  // Splitting by a group gives the texts at even places and the names between them at odd ones.
  const parts = text.split(/\{(\w+)\}/).map((part, place) => (place % 2 === 0 ? part : write(given[part])));
  return createElement(Fragment, undefined, ...parts);
}

type Entry = string | { readonly one: string; readonly other: string };

function choose(entry: Entry, count: string | number | undefined): string {
  if (typeof entry === 'string') return entry;
  return plurals.select(Number(count)) === 'one' ? entry.one : entry.other;
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : String(write(value));
  });
}

function write<Value>(value: Value): Value | string {
  return typeof value === 'number' ? numbers.format(value) : value;
}
