import { type FileHandle, open } from 'node:fs/promises';
import type { Message } from '@skein/core';
import { type Forest, makeRef, readPrompt, readRefs } from '../../forest/index.ts';
import { sha256 } from '../../model/ids.ts';
import { isElementError } from '../format-error.ts';
import type { ImportProblem } from '../import-tracker.ts';
import type { ImportedConversation, LogPast } from '../importer.ts';
import { findImporter } from '../importers/index.ts';
import { type WrittenPart, writeConversation } from '../write-conversation.ts';
import { type AgentEnvironment, CODING_AGENTS, type CodingAgent } from './coding-agents.ts';
import { type FoundLog, findLogs, readSubagentFacts } from './find-logs.ts';
import { findKeys, removeKeys } from './keys-in-logs.ts';
import { isContinued, type LogPart, LogReading, readPart, type StoredReading, skipLine } from './log-reading.ts';
import { readStoredSessions } from './opencode-database.ts';

/** Options of `importSessions`. */
export interface ImportSessionsOptions {
  /** The ids of the agents; default: all that are known. */
  readonly agents?: readonly string[];
  /** A folder with logs, in place of where the agents keep them. */
  readonly folder?: string;
  /** Only logs at these paths are looked at: those that changed, as the caller knows. */
  readonly paths?: ReadonlySet<string>;
  /** The variables that say where agents keep their files; default: those of the process. */
  readonly env?: AgentEnvironment;
  /** Leaves out what looks like a key or a token. Without it, such texts are stored as they are; both ways they are told. */
  readonly redact?: boolean;
  /** Hides what must not be stored in the text of a log; the text has to stay JSON. */
  readonly hide?: (text: string) => string;
  /** Receives what looks like a key or a token in a log, before anything of that log is stored. */
  readonly onKeys?: (keys: ImportSessionsResult['keys']) => void;
  /** Receives the progress with each log. */
  readonly onProgress?: (progress: SessionsProgress) => void;
}

/** How far the import of sessions has come. */
export interface SessionsProgress {
  readonly logs: number;
  readonly of: number;
  readonly sessions: number;
  readonly messages: number;
}

/** The result of importing the sessions of agents. */
export interface ImportSessionsResult {
  /** For each agent whose logs were found: how many logs, and how many of them had changed. */
  readonly agents: readonly {
    readonly agent: string;
    readonly folder: string;
    readonly logs: number;
    readonly read: number;
  }[];
  readonly threads: readonly string[];
  readonly messages: number;
  readonly added: number;
  /** Where logs have what looks like a key or a token, and of what kind. The keys themselves are not repeated. */
  readonly keys: readonly { readonly where: string; readonly kind: string }[];
  readonly problems: readonly ImportProblem[];
}

export async function importSessions(
  forest: Forest,
  { agents, folder, paths, env = process.env, onProgress, ...options }: ImportSessionsOptions = {},
): Promise<ImportSessionsResult> {
  const chosen = CODING_AGENTS.filter(({ id }) => agents === undefined || agents.includes(id));
  const found: { agent: CodingAgent; folder: string; logs: FoundLog[] }[] = [];
  for (const agent of chosen) {
    const place = folder ?? agent.folder(env);
    const logs = await findLogs(agent, place, paths);
    if (logs.length > 0) found.push({ agent, folder: place, logs });
  }
  const run = new SessionImport(forest, options);
  const all = found.flatMap(({ logs }) => logs);
  for (let start = 0; start < all.length; start += KNOWN_AT_ONCE) {
    const some = all.slice(start, start + KNOWN_AT_ONCE);
    const known = await run.known(some);
    for (const [index, log] of some.entries()) {
      await run.read(log, known.get(log.path));
      onProgress?.({ logs: start + index + 1, of: all.length, sessions: run.threads.size, messages: run.messages });
    }
  }
  return {
    agents: found.map(({ agent, folder: place, logs }) => ({
      agent: agent.id,
      folder: place,
      logs: logs.length,
      read: logs.filter(({ path }) => run.changed.has(path)).length,
    })),
    threads: [...run.threads],
    messages: run.messages,
    added: run.added,
    keys: run.keys,
    problems: run.problems,
  };
}

/** What a forest knows of a log: its size and time when it was read, and how far; of a database, the time of its last session. */
interface KnownLog {
  readonly size: number;
  readonly mtime: number;
  readonly reading?: StoredReading | undefined;
  readonly upTo?: number | undefined;
}

/** The register that holds what is known of a log. */
const LOG_REF = 'log';
/** How many logs are looked up at once: what is known of a log may be some kilobytes. */
const KNOWN_AT_ONCE = 500;
/**
 * How many bytes of a log are in memory at once, unless a message is longer. What is made of larger parts outlives the young
 * generation of the heap, and a third of the time goes into copying it.
 */
const PART_BYTES = 1024 * 1024;
const MOST_BYTES = 128 * 1024 * 1024;
/** How many bytes are read before it is stored how far: an import that is killed reads them again. */
const REMEMBERED_BYTES = 8 * PART_BYTES;

class SessionImport {
  readonly #forest: Forest;
  readonly #options: Pick<ImportSessionsOptions, 'redact' | 'hide' | 'onKeys'>;
  readonly threads = new Set<string>();
  readonly problems: ImportProblem[] = [];
  readonly keys: { readonly where: string; readonly kind: string }[] = [];
  /** The paths of the logs that had changed. */
  readonly changed = new Set<string>();
  messages = 0;
  added = 0;

  constructor(forest: Forest, options: Pick<ImportSessionsOptions, 'redact' | 'hide' | 'onKeys'>) {
    this.#forest = forest;
    this.#options = options;
  }

  /** What is known of logs, by their paths. */
  async known(logs: readonly FoundLog[]): Promise<Map<string, KnownLog>> {
    const paths = new Map(logs.map(({ path }) => [logKey(path), path]));
    const refs = await readRefs(this.#forest, 'forest', [...paths.keys()], [LOG_REF]);
    return new Map(refs.map(({ key, value }) => [paths.get(key)!, value as KnownLog]));
  }

  async read(log: FoundLog, known: KnownLog | undefined): Promise<void> {
    if (known?.size === log.size && known.mtime === log.mtime) return;
    this.changed.add(log.path);
    try {
      if (log.path.endsWith('.db'))
        await this.#remember(log, { upTo: await this.#readDatabase(log, known?.upTo ?? 0) });
      else await this.#readFile(log, known?.reading);
    } catch (error) {
      // The other logs are read all the same, and this one the next time.
      const message = describeFailure(error);
      if (message === undefined) throw error;
      this.problems.push({ code: 'unreadable', where: log.path, message });
    }
  }

  async #remember({ path, size, mtime }: FoundLog, facts: Partial<KnownLog>): Promise<void> {
    const now: KnownLog = { size, mtime, ...facts };
    await this.#forest.store.append([makeRef(this.#forest, 'forest', logKey(path), LOG_REF, now)]);
  }

  /** Reads a log from where it was left, part by part. */
  async #readFile(log: FoundLog, stored: StoredReading | undefined): Promise<void> {
    const file = await open(log.path, 'r');
    try {
      const facts = await readSubagentFacts(log.path);
      let reading = (await this.#resume(file, log, stored)) ?? LogReading.begin();
      let remembered = reading.position;
      for (let least = PART_BYTES; reading.position < log.size; ) {
        const part = await readPart(file, { position: reading.position, size: log.size, least });
        if (!part) {
          reading = reading.skip(await skipLine(file, reading.position, log.size), 1);
          const message = 'This line is longer than what can be read at once. It was left out.';
          this.problems.push({ code: 'unreadable', where: `${log.path}: line ${reading.lines}`, message });
          continue;
        }
        const next = await this.#importPart(log, part, reading, facts);
        if (next === 'needs past') {
          reading = LogReading.begin();
          continue;
        }
        if (part.isLast) {
          reading = next ?? reading;
          break;
        }
        if (next && next.position > reading.position) {
          reading = next;
          least = PART_BYTES;
          if (reading.position - remembered < REMEMBERED_BYTES) continue;
          await this.#remember({ ...log, size: UNFINISHED }, { reading: await reading.store(file) });
          remembered = reading.position;
        } else if (least < MOST_BYTES) least *= 2;
        else reading = reading.skip(part.end, part.starts.length);
      }
      await this.#remember(log, { reading: await reading.store(file) });
    } finally {
      await file.close();
    }
  }

  /** Reads and writes a part; undefined if nothing is said in it, or if that failed. */
  async #importPart(
    log: FoundLog,
    part: LogPart,
    reading: LogReading,
    facts: { readonly startedBy?: string },
  ): Promise<LogReading | 'needs past' | undefined> {
    const read = this.#parse(log, part.text, log.path, reading);
    if (!read) return undefined;
    if (read.progress?.needsPast || reading.isOfAnother(read)) return 'needs past';
    const written = await this.#write(log, read, facts, reading.written);
    return typeof written === 'object' ? reading.advance(read, written, part) : written;
  }

  /** Where a log was left, if it still begins with what was read, and the forest has what was written of it. */
  async #resume(file: FileHandle, { size }: FoundLog, stored: StoredReading | undefined) {
    if (!stored || !(await isContinued(file, size, stored))) return undefined;
    const reading = LogReading.restore(stored);
    const nodes = await this.#forest.store.nodes(reading.nodes);
    return nodes.includes(undefined) ? undefined : reading;
  }

  async #readDatabase(log: FoundLog, after: number): Promise<number> {
    let upTo = after;
    for await (const session of readStoredSessions(log.path, after)) {
      const read = this.#parse(log, session.text(), `${log.path}, session ${session.id}`);
      if (read) await this.#write(log, read, {}, undefined);
      upTo = Math.max(upTo, session.updated);
    }
    return upTo;
  }

  /** Reads a log, or a part of it; undefined if nothing is said in it. Keys in it are told first. */
  #parse(
    log: FoundLog,
    logged: string,
    where: string,
    { past, seen, lines }: { readonly past?: LogPast | undefined; readonly seen: number; readonly lines: number } = {
      seen: 0,
      lines: 0,
    },
  ): ImportedConversation | undefined {
    const { redact = false, hide, onKeys } = this.#options;
    const text = hide ? hide(logged) : logged;
    const found = findKeys(text);
    const keys = found
      .filter(({ line }) => lines + line > seen)
      .map(({ kind, line }) => ({ where: `${where}, line ${lines + line}`, kind }));
    if (keys.length > 0) onKeys?.(keys);
    this.keys.push(...keys);
    try {
      const read = findImporter(log.agent.id)!.read(redact ? removeKeys(text, found) : text, { past });
      for (const { line = Number.POSITIVE_INFINITY, ...problem } of read.problems ?? [])
        if (line > seen && !read.progress?.needsPast)
          this.problems.push({ code: 'wrong_shape', where: `${where}: ${problem.where}`, message: problem.message });
      return read.messages.some(({ message }) => isSaid(message)) ? read : undefined;
    } catch (error) {
      if (!isElementError(error)) throw error;
      this.problems.push({ code: error.code, where, message: error.message });
      return undefined;
    }
  }

  /** Writes what was read; undefined if that failed. */
  async #write(
    { agent, path }: FoundLog,
    read: ImportedConversation,
    facts: { readonly startedBy?: string },
    before: WrittenPart | undefined,
  ): Promise<WrittenPart | 'needs past' | undefined> {
    try {
      const source = { ...read, ...(read.session && { session: { ...read.session, ...facts } }) };
      const written = await writeConversation(this.#forest, agent.id, source, new Set(), before);
      if (!written) return 'needs past';
      this.threads.add(written.thread);
      this.messages += written.messages;
      this.added += written.added;
      return written;
    } catch (error) {
      if (!isElementError(error)) throw error;
      this.problems.push({ code: error.code, where: path, message: error.message });
      return undefined;
    }
  }
}

/** The size of a log that was not read to its end. No file has it. */
const UNFINISHED = -1;

function logKey(path: string): string {
  return sha256(`skein-log/1\n${path}`).slice(0, 24);
}

/** Of a failed call of the system, what to say of the log; other errors are faults of the program. */
function describeFailure(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? undefined : `This log cannot be read (${code}).`;
}

/**
 * Whether a message is more than what a program puts in front. A log without any such message is of a session that has not
 * begun, or of one that goes on in another log: Gemini CLI leaves one behind when it resumes. It is read when it grows.
 */
function isSaid(message: Message): boolean {
  return message.role === 'assistant' || message.role === 'tool' || readPrompt(message) !== '';
}
