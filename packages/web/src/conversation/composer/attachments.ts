import type { Block } from '../../api/types.ts';
import { randomId } from '../../state/random-id.ts';
import { t } from '../../words/words.ts';

/** A file or a long pasted text that is sent with a message. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  /** Absent until it is read again after the page was loaded. */
  readonly content?: AttachmentContent;
}

export type AttachmentContent =
  | { readonly kind: 'media'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'text'; readonly text: string; readonly isPasted: boolean };

/** A longer pasted text becomes an attachment. */
const LARGE_PASTE = 2000;
const LARGE_PASTE_LINES = 40;
const LARGEST_FILE = 20 * 1024 * 1024;

const TEXT_TYPES = /^text\/|[/+](json|xml|yaml|x-yaml|javascript|typescript|toml|sql|x-sh)$/;

export function isLargePaste(text: string): boolean {
  return text.length > LARGE_PASTE || text.split('\n', LARGE_PASTE_LINES + 1).length > LARGE_PASTE_LINES;
}

export function pastedText(text: string): Attachment {
  const lines = text.split('\n').length;
  const name = t('composer.pasted-text', { count: lines });
  return { id: randomId(), name, size: text.length, content: { kind: 'text', text, isPasted: true } };
}

/** Reads a file: images, audio, video and PDF as media, text files as text. */
export async function readFile(file: File): Promise<Attachment> {
  const { name, size, type } = file;
  if (size > LARGEST_FILE) throw new Error(t('composer.file-too-large', { name, limit: '20 MB' }));
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isMedia = /^(image|audio|video)\//.test(type) || type === 'application/pdf';
  const text = isMedia ? undefined : decodeText(bytes, type);
  if (text !== undefined) return { id: randomId(), name, size, content: { kind: 'text', text, isPasted: false } };
  const mediaType = type || 'application/octet-stream';
  return { id: randomId(), name, size, content: { kind: 'media', mediaType, data: base64(bytes) } };
}

/** Decodes text; undefined if the bytes are not text. */
function decodeText(bytes: Uint8Array, type: string): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return TEXT_TYPES.test(type) || !text.includes('\0') ? text : undefined;
  } catch {
    return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** The blocks of a message: attachments first, then its text. */
export function toBlocks(text: string, attachments: readonly Attachment[]): readonly Block[] {
  const attached = attachments.flatMap(({ name, content }): Block[] => {
    if (!content) return [];
    if (content.kind === 'media')
      return [{ type: 'media', mediaType: content.mediaType, source: { kind: 'base64', data: content.data } }];
    return [{ type: 'text', text: content.isPasted ? content.text : fileText(name, content.text) }];
  });
  return text.trim() === '' && attached.length > 0 ? attached : [...attached, { type: 'text', text }];
}

/** Puts a text file in a code fence that is longer than any fence in it. */
function fileText(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${name}:\n\n${fence}${/\.(\w+)$/.exec(name)?.[1] ?? ''}\n${text.replace(/\n$/, '')}\n${fence}`;
}
