import { elementTexts, endOfValue, isObject, type Path, parseJson, skipSpace, textAt } from '../../json/index.ts';
import { ProtocolError } from '../reply.ts';
import { google } from './provider.ts';

/** A content taken apart: its value, and its parts by value, text and place. */
export interface Content {
  readonly role: unknown;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly value: unknown;
  readonly text: string;
  readonly path: Path;
}

/** Nothing but text, thought or said; a stream brings thousands of these. */
export function isPlainText({ value }: Part): boolean {
  if (!isObject(value) || typeof value.text !== 'string') return false;
  for (const name in value) if (name !== 'text' && name !== 'thought') return false;
  return true;
}

/**
 * Reads the text of a content. A system message, `{"role":"system","content":…}`, holds one; a text in its place
 * counts as its only part.
 */
export function readContent(raw: string): Content {
  const value = parseJson(raw);
  if (!isObject(value)) throw new ProtocolError(google.dialect, 'a content must be an object', raw);
  const { role } = value;
  const isSystem = role === 'system' && value.content !== undefined;
  const at = isSystem ? ['content'] : [];
  const content = isSystem ? value.content : value;
  if (typeof content === 'string')
    return { role, parts: [{ value: { text: content }, text: textAt(raw, at)!, path: at }] };
  return { role, parts: isObject(content) ? partsAt(raw, [...at, 'parts'], content.parts) : partsAt(raw, at, content) };
}

/** One element may stand for a list of one. */
function partsAt(raw: string, path: Path, value: unknown): readonly Part[] {
  if (value === undefined || value === null) return [];
  const text = textAt(raw, path)!;
  return Array.isArray(value)
    ? elementTexts(text).map((element, index) => ({ value: value[index], text: element, path: [...path, index] }))
    : [{ value, text, path }];
}

/** The exact texts of the elements of a list; one element may stand for a list of one. */
export function listTexts(text: string, start = skipSpace(text, 0)): string[] {
  return text[start] === '[' ? elementTexts(text, start) : [text.slice(start, endOfValue(text, start))];
}
