import { elementsOf, isObject, type JsonObject, parseJson, type Range, skipSpace } from '../../json/index.ts';
import { ProtocolError } from '../reply.ts';
import { field, fieldMember } from './fields.ts';
import { google } from './provider.ts';

/** A content taken apart: its value, and its parts by value and by place in the text. */
export interface Content {
  readonly role: unknown;
  readonly parts: readonly Part[];
}

export interface Part extends Range {
  readonly value: unknown;
}

/**
 * Reads the text of a content. A system message, `{"role":"system","content":…}`, holds one; a text in its place
 * counts as its only part.
 */
export function readContent(raw: string): Content {
  const value = parseJson(raw);
  if (!isObject(value)) throw new ProtocolError(google.dialect, 'a content must be an object', raw);
  const start = skipSpace(raw, 0);
  const { role, content } = value;
  if (role !== 'system' || content === undefined) return { role, parts: partsOf(raw, start, value) };
  const inner = fieldMember(raw, start, 'content');
  if (!inner) return { role, parts: [] };
  if (isObject(content)) return { role, parts: partsOf(raw, inner.start, content) };
  return { role, parts: [{ value: typeof content === 'string' ? { text: content } : content, ...inner }] };
}

/** One element may stand for a list of one. */
function partsOf(raw: string, start: number, content: JsonObject): readonly Part[] {
  const values = field(content, 'parts');
  const member = fieldMember(raw, start, 'parts');
  if (!member) return [];
  if (!Array.isArray(values)) return [{ value: values, start: member.start, end: member.end }];
  return elementsOf(raw, member.start).map((range, index) => ({ value: values[index], ...range }));
}
