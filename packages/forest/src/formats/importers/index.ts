// The importers that are always there, and which of all importers reads a source.
import { isObject, type JsonObject } from '@skein/core';
import { FormatError } from '../format-error.ts';
import {
  added,
  type BuiltInFormat,
  type BuiltInImporter,
  type Importer,
  importFormats,
  OTHER_FORMATS,
} from '../importer.ts';
import { claudeCode } from '../session-logs/claude-code.ts';
import { codex } from '../session-logs/codex.ts';
import { geminiCli } from '../session-logs/gemini-cli.ts';
import { opencode } from '../session-logs/opencode.ts';
import { pi } from '../session-logs/pi.ts';
import { chatgpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import { geminiTakeout } from './gemini-takeout.ts';
import { langchain } from './langchain.ts';
import { libreChat } from './librechat.ts';
import { llm } from './llm.ts';
import { lmStudio } from './lm-studio.ts';
import { chatState, fineTuning, messageList, messages } from './messages.ts';
import { openWebui } from './open-webui.ts';
import { openRouter } from './openrouter.ts';
import { uiMessages } from './ui-messages.ts';

/** An importer without its title, which only lists of formats show. */
export type FormatReader = Omit<Importer, 'title'>;

/** In the order in which they look at a source. The compiler asks for every format that has a title. */
const READERS: Readonly<Record<BuiltInFormat, BuiltInImporter>> = {
  codex,
  'gemini-cli': geminiCli,
  pi,
  opencode,
  'claude-code': claudeCode,
  messages,
  chatgpt,
  claude,
  'gemini-takeout': geminiTakeout,
  openrouter: openRouter,
  librechat: libreChat,
  'open-webui': openWebui,
  'lm-studio': lmStudio,
  llm,
  'message-list': messageList,
  'chat-state': chatState,
  langchain,
  'ui-messages': uiMessages,
  'fine-tuning': fineTuning,
};

const BUILT_IN: readonly FormatReader[] = Object.entries(READERS).map(([id, reader]) => ({ id, ...reader }));

/** The importer of a format; undefined for `segments` and `older`. Throws for an unknown format. */
export function findImporter(format: string): FormatReader | undefined {
  const importer = added.get(format) ?? BUILT_IN.find(({ id }) => id === format);
  if (importer || Object.hasOwn(OTHER_FORMATS, format)) return importer;
  const known = importFormats().map(({ id }) => id);
  throw new FormatError('unknown_format', `"${format}" is not a known format. Use one of ${known.join(', ')}.`);
}

/** The format of a source, by its first element. Added importers are asked first: they look for something more special. */
export function detectFormat(value: unknown): string {
  const first = Array.isArray(value) ? value[0] : value;
  if (isObject(first)) {
    if (first.skein === 'segment') return 'segments';
    const found = [...added.values(), ...BUILT_IN].find((importer) => importer.detects?.(first));
    if (found) return found.id;
  }
  const tried = [...BUILT_IN, ...added.values()].flatMap(({ id, detects, recognisedBy }) =>
    detects ? [recognisedBy === undefined ? id : `${id} (${recognisedBy})`] : [],
  );
  throw new FormatError(
    'unknown_format',
    `The format of this source is not recognised. Looked for: segments ({"skein":"segment",…}); ${tried.join('; ')}; older (a folder with "roots.json"). Name the format; for bare messages, name their dialect.`,
  );
}

/** The format of the log of a coding agent, by its first line; undefined if it is none. */
export function findLogFormat(first: JsonObject): string | undefined {
  return BUILT_IN.find((importer) => importer.element === 'line' && importer.detects?.(first))?.id;
}
