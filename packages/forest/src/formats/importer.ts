import { isObject, type JsonObject, type Message } from '@skein/core';
import type { TakeFacts } from '../forest/index.ts';
import { FormatError } from './format-error.ts';
import { chatgpt } from './importers/chatgpt.ts';
import { claude } from './importers/claude.ts';
import { geminiTakeout } from './importers/gemini-takeout.ts';
import { langchain } from './importers/langchain.ts';
import { libreChat } from './importers/librechat.ts';
import { llm } from './importers/llm.ts';
import { lmStudio } from './importers/lm-studio.ts';
import { chatState, fineTuning, messageList, messages } from './importers/messages.ts';
import { openWebui } from './importers/open-webui.ts';
import { openRouter } from './importers/openrouter.ts';
import { uiMessages } from './importers/ui-messages.ts';
import { claudeCode } from './session-logs/claude-code.ts';
import { codex } from './session-logs/codex.ts';
import { geminiCli } from './session-logs/gemini-cli.ts';
import { opencode } from './session-logs/opencode.ts';
import { pi } from './session-logs/pi.ts';
import type { AttachedFile } from './source/archive.ts';

/**
 * Reads the conversations of one format. Sources are JSON: one document, a list, or a value on each line.
 *
 * @example
 * const diary: Importer = {
 *   id: 'diary',
 *   title: 'Diary of the weather bot',
 *   recognisedBy: 'objects with "diary"',
 *   detects: ({ diary }) => Array.isArray(diary),
 *   read(text) {
 *     const { diary } = JSON.parse(text) as { diary: string[] };
 *     return { messages: chainMessages(diary.map((line) => ({ message: user(line) }))) };
 *   },
 * };
 */
export interface Importer {
  /** The name of the format: what `format` and `skein import --format` take. Lower case, digits and dashes. */
  readonly id: string;
  /** The name for people, such as "ChatGPT export". */
  readonly title: string;
  /** What `detects` looks for, for the error that says which formats were tried. */
  readonly recognisedBy?: string;
  /** Whether the first element of a source has what only this format has. Without it, callers have to name the format. */
  detects?(first: JsonObject): boolean;
  /**
   * What the elements of a list are: whole conversations (the default), or the messages of one conversation; or `line`: a
   * file is the log of one conversation, and `read` gets all of its lines, those that are no JSON included.
   */
  readonly element?: 'conversation' | 'message' | 'line';
  /** Whether a file is always JSON lines, even when its first line alone does not show it. */
  readonly inLines?: boolean;
  /**
   * Reads one conversation from its exact JSON text: an object, or a list of messages. It must be deterministic. A
   * `FormatError` leaves this conversation out and is reported among the problems; any other error ends the import.
   */
  read(text: string, options: ReadOptions): ImportedConversation;
}

/** What an importer gets beside the text. */
interface ReadOptions {
  readonly dialect?: string | undefined;
  /** Finds a file of the export by what a message calls it, under any of these names; undefined if it is not there. */
  readonly file?: ((...names: readonly string[]) => AttachedFile | undefined) | undefined;
  /** If the text is the newest part of a log: what is known of the lines before it. */
  readonly past?: LogPast | undefined;
}

/** What is known of the lines of a log that were read before. */
export interface LogPast {
  /** How many there are, blank ones left out. */
  readonly lines: number;
  readonly session: ImportedSession;
  /** The key of the last message. */
  readonly last: string | undefined;
  /** Whether a line before has this key. */
  has(key: string): boolean;
  /** Whether `has` knows the keys of all lines, not only of the last ones. */
  readonly isWhole: boolean;
  /** What the reader noted. */
  readonly memo: unknown;
}

/** How far a part of a log was read, and what the reader of the next part has to know. */
export interface LogProgress {
  /** How many lines of the log were read so far. */
  readonly read: number;
  /** How many of the lines need not be read again. The messages behind them may still grow. */
  readonly closed: number;
  /** The lines that are no messages: by their keys, the key of the message that they follow, and their number. */
  readonly links?: ReadonlyMap<string, { readonly to: string; readonly line: number }> | undefined;
  /** A note in JSON to the reader of the next part, as of the last closed line. */
  readonly memo?: unknown;
  /** Keys that the note names. */
  readonly keep?: readonly string[] | undefined;
  /** Whether this part cannot be read without the lines before it. */
  readonly needsPast?: boolean | undefined;
}

/** Messages of the conversation itself, by a key: this one, or it and all that follow. */
export type KeptMessages = { readonly key: string } | { readonly from: string };

/** A conversation as an importer read it: a tree of messages. */
export interface ImportedConversation {
  /** Its id in the source. Without one, a conversation is known by its messages. */
  readonly id?: string;
  readonly title?: string;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly tags?: readonly string[];
  readonly messages: readonly ImportedMessage[];
  /** The key of the message that the conversation ends at; default: the last message. */
  readonly head?: string;
  /** The session of a coding agent that it belongs to. */
  readonly session?: ImportedSession;
  /** What could not be read. The rest was. */
  readonly problems?: readonly { readonly where: string; readonly message: string; readonly line?: number }[];
  /** Of a log that can be read part by part: how far it was read. */
  readonly progress?: LogProgress;
}

/** A session of a coding agent, as its log names it. */
export interface ImportedSession {
  /** The agent, such as `codex`. */
  readonly agent: string;
  readonly id: string;
  /** The folder that it worked in. */
  readonly cwd?: string;
  readonly branch?: string;
  /** The version of the agent. */
  readonly version?: string;
  /** The id of a subagent inside the session, if this is its conversation. */
  readonly subagent?: string;
  /** The id of the call that started the subagent. */
  readonly startedBy?: string;
}

/** A message of an imported conversation, and its place in the tree. */
export interface ImportedMessage {
  /** Unique within the conversation. */
  readonly key: string;
  /** Other keys by which later messages may name it. */
  readonly keys?: readonly string[];
  /** The number of its first line in a log. */
  readonly line?: number;
  /** The key of the message before it; undefined for a first message. */
  readonly parent: string | undefined;
  readonly message: Message;
  /** When it was written, if the source says so. */
  readonly at?: number | undefined;
  /** Who wrote it and how; members of the source that a message has no place for go to `take.extra`. */
  readonly take?: TakeFacts;
  /** What the model got in place of everything before this message, after a compaction. */
  readonly instead?: readonly (Message | KeptMessages)[];
}

/** Names and titles of formats that are no importers: they hold records or are folders, not conversations. */
const OTHERS = [
  { id: 'segments', title: 'Skein segments' },
  { id: 'older', title: 'Folder of the older layout' },
];

const added = new Map<string, Importer>();

/**
 * Adds an importer. From then on `importFile`, the HTTP API and `skein import` recognise its format.
 *
 * @example
 * defineImporter({ id: 'diary', title: 'Diary', detects: ({ diary }) => Array.isArray(diary), read: readDiary });
 */
export function defineImporter(importer: Importer): Importer {
  const { id } = importer;
  if (!/^[a-z0-9][a-z0-9-]{0,99}$/.test(id))
    throw new TypeError(`"${id}" cannot name a format: use up to 100 lower-case letters, digits and dashes.`);
  if ([...BUILT_IN, ...OTHERS].some((one) => one.id === id))
    throw new TypeError(`The format ${id} is built in; choose another id.`);
  added.set(id, importer);
  return importer;
}

/**
 * The formats that can be imported, with their titles: the built-in ones first, then those that were added.
 *
 * @example
 * importFormats().map(({ id }) => id); // ['messages', 'chatgpt', …]
 */
export function importFormats(): readonly Pick<Importer, 'id' | 'title'>[] {
  return [...BUILT_IN, ...OTHERS, ...added.values()].map(({ id, title }) => ({ id, title }));
}

/** The importer of a format; undefined for `segments` and `older`. Throws for an unknown format. */
export function findImporter(format: string): Importer | undefined {
  const importer = added.get(format) ?? BUILT_IN.find(({ id }) => id === format);
  if (importer || OTHERS.some(({ id }) => id === format)) return importer;
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

/** The importers that are always there, in the order in which they look at a source. */
const BUILT_IN: readonly Importer[] = [
  codex,
  geminiCli,
  pi,
  opencode,
  claudeCode,
  messages,
  chatgpt,
  claude,
  geminiTakeout,
  openRouter,
  libreChat,
  openWebui,
  lmStudio,
  llm,
  messageList,
  chatState,
  langchain,
  uiMessages,
  fineTuning,
];
