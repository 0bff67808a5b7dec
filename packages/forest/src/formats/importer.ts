import type { JsonObject, Message } from '@skein/core';
import type { TakeFacts } from '../forest/index.ts';
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

/** The titles of the importers that are always there, in the order in which they look at a source. Their code is in `importers/index.ts`. */
const TITLES = {
  codex: 'Codex session',
  'gemini-cli': 'Gemini CLI session',
  pi: 'pi session',
  opencode: 'OpenCode session',
  'claude-code': 'Claude Code session',
  messages: 'Messages of a dialect',
  chatgpt: 'ChatGPT export',
  claude: 'Claude export',
  'gemini-takeout': 'Gemini in Google Takeout',
  openrouter: 'OpenRouter chat',
  librechat: 'LibreChat export',
  'open-webui': 'Open WebUI export',
  'lm-studio': 'LM Studio conversation',
  llm: "Log of llm (SQLite's logs.db)",
  'message-list': 'Message list',
  'chat-state': 'Chat state',
  langchain: 'LangChain messages',
  'ui-messages': 'AI SDK messages',
  'fine-tuning': 'Fine-tuning lines',
} as const;

/** The names of these formats. */
export type BuiltInFormat = keyof typeof TITLES;

/** An importer that is always there; its name and its title are in the list above. */
export type BuiltInImporter = Omit<Importer, 'id' | 'title'>;

/** Titles of formats that are no importers: they hold records or are folders, not conversations. */
export const OTHER_FORMATS = {
  segments: 'Skein segments',
  older: 'Folder of the older layout',
} as const;

const BUILT_IN: Readonly<Record<string, string>> = { ...TITLES, ...OTHER_FORMATS };

/** The importers that programs have added. */
export const added = new Map<string, Importer>();

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
  if (Object.hasOwn(BUILT_IN, id)) throw new TypeError(`The format ${id} is built in; choose another id.`);
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
  const builtIn = Object.entries(BUILT_IN).map(([id, title]) => ({ id, title }));
  return [...builtIn, ...[...added.values()].map(({ id, title }) => ({ id, title }))];
}
