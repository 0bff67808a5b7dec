import { isObject, type JsonObject } from '../../json/index.ts';
import type { MediaBlock, MediaSource } from '../../message/index.ts';

/** An address (http, https or data), bytes, base64 text, or a file that the provider holds. */
export type MediaInput = string | URL | Uint8Array | { readonly base64: string } | { readonly file: string };

export interface MediaOptions {
  /** Such as `image/png`. Needed for bytes and base64; an address may do without. */
  readonly mediaType?: string;
  readonly name?: string;
}

/** A block of media; `fallback` is its type where nothing tells it. */
export function mediaBlock(input: MediaInput, { mediaType, name }: MediaOptions, fallback: string): MediaBlock {
  const { source, told } = sourceOf(input);
  const type = mediaType ?? told ?? (source.kind === 'base64' ? undefined : fallback);
  if (type === undefined)
    throw new TypeError('Bytes do not say what they are: give { mediaType }, such as "image/png"');
  return { type: 'media', mediaType: type, source, ...(name !== undefined && { name }) };
}

function sourceOf(input: MediaInput): { readonly source: MediaSource; readonly told?: string | undefined } {
  if (input instanceof Uint8Array) return { source: { kind: 'base64', data: base64(input) } };
  if (input instanceof URL || typeof input === 'string') {
    const url = String(input);
    const [, told, data] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(url) ?? [];
    if (data !== undefined) return { source: { kind: 'base64', data }, told };
    if (!/^https?:\/\//.test(url)) throw new TypeError(`Not an address; give bytes, or one with http, https or data`);
    return { source: { kind: 'url', url } };
  }
  // Without types, anything may come here; what has no data must not become a message without it.
  const { file, base64: data }: JsonObject = isObject(input) ? { ...input } : {};
  if (typeof file === 'string') return { source: { kind: 'file', id: file } };
  if (typeof data === 'string') return { source: { kind: 'base64', data } };
  throw new TypeError('Not media; give an address, bytes as a Uint8Array, { base64 } or { file }');
}

function base64(bytes: Uint8Array): string {
  // In pieces: a call takes only so many arguments.
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(pieces.join(''));
}
