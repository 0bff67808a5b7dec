import { note, say, sayJson, UsageError, write } from './output.ts';

/** How a list is printed. */
export const LIST_FORMATS = ['text', 'json', 'jsonl', 'csv', 'tsv'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/** How a list is printed: `--json` is short for `--format json`. */
export interface ListChoice {
  readonly json?: boolean;
  readonly format?: ListFormat;
}

interface ListView<T> {
  /** One item as a line for people. */
  line(item: T): string | Promise<string>;
  /** What to say when there is nothing. */
  readonly empty: string;
  /** The columns of `csv` and `tsv`; default: the members of the item that are no objects. */
  row?(item: T): Readonly<Record<string, unknown>>;
  /** Members beside `items` in the JSON document. */
  readonly more?: object;
}

/** Prints a list in the chosen format. */
export async function sayList<T extends object>(
  items: readonly T[],
  { json, format = json ? 'json' : 'text' }: ListChoice,
  { line, empty, row = flatMembers, more = {} }: ListView<T>,
): Promise<void> {
  if (json && format !== 'json') throw new UsageError('--json is --format json: leave one of them out.');
  if (format === 'json') sayJson({ ...more, items });
  else if (format === 'jsonl') for (const item of items) say(JSON.stringify(item));
  else if (format === 'csv' || format === 'tsv') sayTable(items.map(row), format);
  else {
    for (const item of items) say(await line(item));
    if (items.length === 0) note(empty);
  }
}

function flatMembers(item: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => typeof value !== 'object' || value === null));
}

/** Columns are the members of all rows, in the order in which they first occur. */
function sayTable(rows: readonly Readonly<Record<string, unknown>>[], format: 'csv' | 'tsv'): void {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const cell = format === 'csv' ? csvCell : tsvCell;
  const separator = format === 'csv' ? ',' : '\t';
  if (names.length > 0) write(`${names.join(separator)}\n`);
  for (const row of rows) write(`${names.map((name) => cell(row[name])).join(separator)}\n`);
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

function csvCell(value: unknown): string {
  const shown = text(value);
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

const tsvCell = (value: unknown) => text(value).replace(/[\t\r\n]+/g, ' ');
