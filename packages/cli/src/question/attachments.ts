import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { type Config, fetchPublic } from '@skein/agents';
import { type ContentBlock, isSkeinError } from '@skein/core';
import { CommandError, counted, UsageError } from '../output/output.ts';
import { readInput } from './input.ts';

/** Providers refuse larger requests, and a slip such as a disk image must not be stored. */
const MOST_BYTES = 30_000_000;

/** What the first bytes say, as far as models take it. */
const SIGNATURES: readonly (readonly [start: RegExp, type: string])[] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
  [/^[\s\S]{4}ftyp(heic|heix|mif1)/, 'image/heic'],
  [/^RIFF[\s\S]{4}WAVE/, 'audio/wav'],
  [/^(ID3|\xff[\xfb\xf3\xf2])/, 'audio/mpeg'],
  [/^OggS/, 'audio/ogg'],
  [/^fLaC/, 'audio/flac'],
  [/^[\s\S]{4}ftypM4A/, 'audio/mp4'],
  [/^[\s\S]{4}ftyp/, 'video/mp4'],
  [/^.\x45\xdf\xa3/s, 'video/webm'],
  [/^%PDF-/, 'application/pdf'],
];

/**
 * Reads an attachment: a file, an address, or `-` for standard input. Images, sound, film and PDF become media; text becomes
 * text with its name. What is at an address is fetched and kept with the conversation; private addresses are refused.
 */
export async function readAttachment(given: string, config: Pick<Config, 'fetch'>): Promise<ContentBlock> {
  if (given === '-') return toBlock(await readInput(), 'standard input');
  if (/^https?:\/\//i.test(given)) return toBlock(await fetchBytes(given, config), nameInUrl(given));
  return toBlock(await readFile(given), basename(given));
}

/** Gets what is at an address, with the limits that `fetch` of the configuration sets. */
export async function fetchBytes(url: string, { fetch }: Pick<Config, 'fetch'>): Promise<Buffer> {
  const rules = { hosts: fetch?.hosts, privateHosts: fetch?.privateHosts, seconds: fetch?.seconds ?? 20 };
  const { status, body, cut } = await fetchPublic(url, { ...rules, maxBytes: MOST_BYTES }).catch((error: unknown) => {
    if (isSkeinError(error)) throw error;
    throw new CommandError('failed', `${url} was not fetched: ${reason(error)}`);
  });
  if (status < 200 || status > 299) throw new CommandError('failed', `${url} answered ${status}: nothing attached.`);
  if (cut) throw tooLong(url);
  return body;
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

function nameInUrl(url: string): string {
  const { hostname, pathname } = new URL(url);
  return basename(pathname) || hostname;
}

function toBlock(bytes: Buffer, name: string): ContentBlock {
  if (bytes.length === 0) throw new UsageError(`${name} is empty: there is nothing to attach.`);
  if (bytes.length > MOST_BYTES) throw tooLong(name);
  const start = bytes.subarray(0, 16).toString('latin1');
  const mediaType = SIGNATURES.find(([pattern]) => pattern.test(start))?.[1];
  if (mediaType !== undefined)
    return { type: 'media', mediaType, source: { kind: 'base64', data: bytes.toString('base64') }, name };
  return { type: 'text', text: fileText(name, toText(bytes, name)) };
}

function tooLong(name: string): CommandError {
  return new CommandError('would_lose', `${name} is longer than ${MOST_BYTES / 1_000_000} MB: attach a part of it.`);
}

/** The text of a file, with its name, as a model reads it. */
function fileText(name: string, text: string): string {
  return `File ${name}:\n\n${text.trimEnd()}`;
}

/** Decodes a text; bytes that are none are an error, not a text full of replacement characters. */
export function toText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const kind = extname(name);
    throw new UsageError(
      `${name} is neither text in UTF-8 nor a kind of file that models take${kind === '' ? '' : ` (${kind})`}: ${counted(bytes.length, 'byte')}.`,
    );
  }
}
