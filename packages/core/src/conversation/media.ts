import { isObject, type JsonObject } from '../json/index.ts';
import type { MediaBlock, MediaSource } from '../message/index.ts';

/**
 * An address (http, https or data), bytes, base64 text, a file of this machine (a path, in Node), or the id of a file that
 * the provider holds. A path is never a plain text, so that an address from outside cannot read a local file.
 */
export type MediaInput =
  | string
  | URL
  | Uint8Array
  | { readonly base64: string }
  | { readonly file: string | URL | Uint8Array }
  | { readonly fileId: string };

/** What a medium is, where its input does not say it. */
export interface MediaOptions {
  /** Such as `image/png`. Needed for bytes and base64; an address may do without, and a path whose ending tells it. */
  readonly mediaType?: string;
  readonly name?: string;
}

interface FoundMedia {
  readonly source: MediaSource;
  readonly told?: string | undefined;
}

/** A block of media; `fallback` is its type where nothing tells it. */
export function mediaBlock(input: MediaInput, { mediaType, name }: MediaOptions, fallback: string): MediaBlock {
  const { source, told } = toSource(input);
  const type = mediaType ?? told ?? (source.kind === 'base64' ? undefined : fallback);
  if (type === undefined)
    throw new TypeError('Bytes do not say what they are: give { mediaType }, such as "image/png"');
  return { type: 'media', mediaType: type, source, ...(name !== undefined && { name }) };
}

function toSource(input: MediaInput): FoundMedia {
  if (input instanceof Uint8Array) return { source: { kind: 'base64', data: base64(input) } };
  if (input instanceof URL || typeof input === 'string') {
    const url = String(input);
    const [, told, data] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(url) ?? [];
    if (data !== undefined) return { source: { kind: 'base64', data }, told };
    if (!/^https?:\/\//.test(url))
      throw new TypeError(`Not an address; for a file of this machine, give { file: '${url.slice(0, 200)}' }`);
    return { source: { kind: 'url', url } };
  }
  // Without types, anything may come here; what has no data must not become a message without it.
  const { file, fileId, base64: data }: JsonObject = isObject(input) ? { ...input } : {};
  if (typeof fileId === 'string') return { source: { kind: 'file', id: fileId } };
  if (typeof data === 'string') return { source: { kind: 'base64', data } };
  const path: unknown = file;
  if (path instanceof Uint8Array) return toSource(path);
  if (typeof path === 'string' || path instanceof URL) return readMedia(path);
  throw new TypeError('Not media; give an address, bytes as a Uint8Array, { base64 }, { file } or { fileId }');
}

/** What the endings of names say, as far as providers take it. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  webm: 'video/webm',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
};

type ReadFile = (path: string | URL) => Uint8Array;

/** Read at once: a builder is sent later, perhaps more than once, and is to say the same each time. */
function readMedia(path: string | URL): FoundMedia {
  const { process } = globalThis as {
    readonly process?: { getBuiltinModule?(id: string): { readonly readFileSync: ReadFile } };
  };
  // Not imported: this runs in browsers, too.
  const files = process?.getBuiltinModule?.('node:fs');
  if (!files)
    throw new TypeError(
      'A { file } can be read in Node only; give its bytes, or { fileId } for one that the provider holds',
    );
  let bytes: Uint8Array;
  try {
    bytes = files.readFileSync(path);
  } catch (cause) {
    const problem = `Cannot read ${path}: ${(cause as Error).message}. The id of a file that the provider holds is { fileId }`;
    throw new TypeError(problem, { cause });
  }
  const ending = /\.(\w+)$/.exec(String(path))?.[1]?.toLowerCase() ?? '';
  return { source: { kind: 'base64', data: base64(bytes) }, told: TYPES[ending] };
}

function base64(bytes: Uint8Array): string {
  // In pieces: a call takes only so many arguments.
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(pieces.join(''));
}
