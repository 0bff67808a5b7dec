import { isObject, type JsonObject } from '@skein/core';
import { FormatError } from './format-error.ts';
import type { Conversation, ImportFormat } from './import-file.ts';

/** Reads one format. What cannot be read throws; nothing of that element is imported then. */
export interface Reader {
  /** What a list in a file has as its elements: whole conversations, or the messages of one. */
  readonly element: 'conversation' | 'message';
  /** A file is always JSON lines. */
  readonly inLines?: boolean;
  /** One conversation from its JSON text: an object, or a list of messages. */
  read(text: string, options: { readonly dialect?: string | undefined }): Conversation;
}

interface Marker {
  readonly format: ImportFormat;
  readonly looks: string;
  isIn(value: JsonObject): boolean;
}

/** Only what no other format has. Bare messages of a dialect have nothing of the kind. */
const MARKERS: readonly Marker[] = [
  { format: 'segments', looks: '{"skein":"segment",…}', isIn: ({ skein }) => skein === 'segment' },
  { format: 'chatgpt', looks: 'objects with "mapping"', isIn: ({ mapping }) => isObject(mapping) },
  { format: 'claude', looks: 'objects with "chat_messages"', isIn: ({ chat_messages: list }) => Array.isArray(list) },
  {
    format: 'message-list',
    looks: '{"format":"skein/messages",…} or {"version":"1.0","messages":[…]}',
    isIn: ({ format, version, messages }) =>
      format === 'skein/messages' || (typeof version === 'string' && Array.isArray(messages) && format === undefined),
  },
  {
    format: 'chat-state',
    looks: '{"version":1,"provider":…,"messages":[…]} or {"version":2,"list":{…}}',
    isIn: ({ version, list, provider, messages }) =>
      typeof version === 'number' && (isObject(list) || (typeof provider === 'string' && Array.isArray(messages))),
  },
  {
    format: 'langchain',
    looks: 'objects with "lc" and "kwargs", or with a "type" such as "human" and "data"',
    isIn: ({ lc, kwargs, type, data }) =>
      (typeof lc === 'number' && isObject(kwargs)) || (typeof type === 'string' && isObject(data) && 'content' in data),
  },
  {
    format: 'ui-messages',
    looks: 'objects with "role" and typed "parts", or with "toolInvocations"',
    isIn: (value) => isUiMessage(value) || (Array.isArray(value.messages) && value.messages.some(isUiMessage)),
  },
  {
    format: 'fine-tuning',
    looks: 'lines with "messages", and neither "version" nor "model"',
    isIn: ({ messages, version, model }) => Array.isArray(messages) && version === undefined && model === undefined,
  },
];

/** The format of a source by its first element. */
export function detectFormat(value: unknown): ImportFormat {
  const first = Array.isArray(value) ? value[0] : value;
  const found = isObject(first) ? MARKERS.find((marker) => marker.isIn(first)) : undefined;
  if (found) return found.format;
  const looked = MARKERS.map(({ format, looks }) => `${format} (${looks})`).join('; ');
  throw new FormatError(
    'unknown_format',
    `Nothing says what this is. Looked for: ${looked}; older (a folder with "roots.json"). Say which format it is; of bare messages, say the dialect, too.`,
  );
}

function isUiMessage(value: unknown): boolean {
  if (!isObject(value) || typeof value.role !== 'string') return false;
  if (Array.isArray(value.toolInvocations)) return true;
  return (
    Array.isArray(value.parts) &&
    value.parts.length > 0 &&
    value.parts.every((part) => isObject(part) && typeof part.type === 'string')
  );
}
