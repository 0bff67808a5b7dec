import { type ContentBlock, isObject } from '@skein/core';
import { textIn } from '../source/exact.ts';

/** A file at an address, which may hold its data; `types` and `names` are what the source calls those members. */
export function mediaFrom(
  value: unknown,
  types: readonly string[],
  names: readonly string[],
  native: string,
): ContentBlock {
  if (!isObject(value)) return { type: 'unknown', native };
  const first = (members: readonly string[]) => members.map((member) => textIn(value, member)).find(Boolean);
  const address = textIn(value, 'url') ?? textIn(value, 'data');
  if (address === undefined) return { type: 'unknown', native };
  const name = first(names);
  return mediaAt(address, first(types), name);
}

/** `data:` addresses hold their data; others are kept as they are. What is no address is data. */
export function mediaAt(address: string, type?: string, name?: string): ContentBlock {
  const named = name === undefined ? {} : { name };
  const [, inline, data] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(address) ?? [];
  if (data !== undefined)
    return {
      type: 'media',
      mediaType: type ?? (inline || 'application/octet-stream'),
      source: { kind: 'base64', data },
      ...named,
    };
  const mediaType = type ?? 'application/octet-stream';
  const source = /^[a-z][a-z0-9+.-]*:/i.test(address)
    ? ({ kind: 'url', url: address } as const)
    : ({ kind: 'base64', data: address } as const);
  return { type: 'media', mediaType, source, ...named };
}
