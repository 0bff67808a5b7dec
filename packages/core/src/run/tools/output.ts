import { isObject } from '../../json/index.ts';
import type { Content, ContentBlock } from '../../message/index.ts';
import type { ToolOutput } from './types.ts';

/** What a tool gave back as the content of its result: text and blocks as they are, everything else as JSON text. */
export function outputContent(output: ToolOutput): Content {
  if (typeof output === 'string') return output;
  if (Array.isArray(output) && output.length > 0 && output.every(isBlock)) return output;
  if (isBlock(output)) return [output];
  return jsonText(output ?? null);
}

function isBlock(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false;
  return value.type === 'text' ? typeof value.text === 'string' : value.type === 'media' && isObject(value.source);
}

/** Stands before the digits of a `bigint` until they are written as a number. */
const MARK = '\u0001bigint\u0001';

function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${MARK}${inner}` : inner)) as
    | string
    | undefined;
  return (text ?? 'null').replace(/"\\u0001bigint\\u0001(-?\d+)"/g, '$1');
}
