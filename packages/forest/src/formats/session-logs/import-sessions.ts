import { constants } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import type { Message } from '@skein/core';
import { type Forest, makeRef, readPrompt, readRefs } from '../../forest/index.ts';
import { sha256 } from '../../model/ids.ts';
import { isElementError } from '../format-error.ts';
import type { ImportProblem } from '../import-tracker.ts';
import { findImporter } from '../importer.ts';
import { writeConversation } from '../write-conversation.ts';
import {
  type AgentEnvironment,
  CODING_AGENTS,
  type CodingAgent,
  type FoundLog,
  findLogs,
  readSubagentFacts,
} from './find-logs.ts';
import { findKeys, removeKeys } from './keys-in-logs.ts';
import { readStoredSessions } from './opencode-database.ts';

/** Options of `importSessions`. */
export interface ImportSessionsOptions {
  /** The ids of the agents; default: all that are known. */
  readonly agents?: readonly string[];
  /** A folder with logs, in place of where the agents keep them. */
  readonly folder?: string;
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

/**
 * Imports the sessions that coding agents have logged. Logs that did not change since they were read are left alone, so it
 * can run again and again. The agents' files are only read.
 *
 * @example
 * const { threads } = await importSessions(forest, { agents: ['codex'] });
 */
export async function importSessions(
  forest: Forest,
  { agents, folder, env = process.env, onProgress, ...options }: ImportSessionsOptions = {},
): Promise<ImportSessionsResult> {
  const chosen = CODING_AGENTS.filter(({ id }) => agents === undefined || agents.includes(id));
  const found: { agent: CodingAgent; folder: string; logs: FoundLog[] }[] = [];
  for (const agent of chosen) {
    const place = folder ?? agent.folder(env);
    const logs = await findLogs(agent, place);
    if (logs.length > 0) found.push({ agent, folder: place, logs });
  }
  const run = new SessionImport(forest, options);
  const all = found.flatMap(({ logs }) => logs);
  for (const [index, log] of all.entries()) {
    await run.read(log);
    onProgress?.({ logs: index + 1, of: all.length, sessions: run.threads.size, messages: run.messages });
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

/** What a forest knows of a log: its size and time when it was read; of a database, the time of its last session. */
interface KnownLog {
  readonly size: number;
  readonly mtime: number;
  readonly upTo?: number;
}

/** The register that holds what is known of a log. */
const LOG_REF = 'log';

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

  async read(log: FoundLog): Promise<void> {
    const key = sha256(`skein-log/1\n${log.path}`).slice(0, 24);
    const known = await this.#known(key);
    // A database changes in its log first, so its own size and time do not tell.
    const isDatabase = log.path.endsWith('.db');
    if (!isDatabase && known?.size === log.size && known.mtime === log.mtime) return;
    this.changed.add(log.path);
    if (!isDatabase && log.size > constants.MAX_STRING_LENGTH) {
      const message = `This log has more than ${constants.MAX_STRING_LENGTH} bytes, the most that is read at once.`;
      this.problems.push({ code: 'unreadable', where: log.path, message });
      return;
    }
    let upTo: number | undefined;
    try {
      upTo = isDatabase ? await this.#readDatabase(log, known?.upTo ?? 0) : await this.#readFile(log);
    } catch (error) {
      // The other logs are read all the same, and this one the next time.
      const message = describeFailure(error);
      if (message === undefined) throw error;
      this.problems.push({ code: 'unreadable', where: log.path, message });
      return;
    }
    const now: KnownLog = { size: log.size, mtime: log.mtime, ...(upTo !== undefined && { upTo }) };
    await this.#forest.store.append([makeRef(this.#forest, 'forest', key, LOG_REF, now)]);
  }

  async #known(key: string): Promise<KnownLog | undefined> {
    const [ref] = await readRefs(this.#forest, 'forest', [key], [LOG_REF]);
    return ref?.value as KnownLog | undefined;
  }

  async #readFile(log: FoundLog): Promise<undefined> {
    const text = await readFile(log.path, 'utf8');
    if (text.trim() === '') return;
    await this.#import(log, text, await readSubagentFacts(log.path));
  }

  async #readDatabase(log: FoundLog, after: number): Promise<number> {
    let upTo = after;
    for await (const session of readStoredSessions(log.path, after)) {
      await this.#import(log, session.text(), {}, session.id);
      upTo = Math.max(upTo, session.updated);
    }
    return upTo;
  }

  async #import(
    log: FoundLog,
    logged: string,
    facts: { readonly startedBy?: string },
    session?: string,
  ): Promise<void> {
    const { redact = false, hide, onKeys } = this.#options;
    const where = session === undefined ? log.path : `${log.path}, session ${session}`;
    const importer = findImporter(log.agent.id)!;
    const text = hide ? hide(logged) : logged;
    const found = findKeys(text);
    const keys = found.map(({ kind, line }) => ({ where: `${where}, line ${line}`, kind }));
    if (keys.length > 0) onKeys?.(keys);
    this.keys.push(...keys);
    try {
      const read = importer.read(redact ? removeKeys(text, found) : text, {});
      if (!read.messages.some(({ message }) => isSaid(message))) return;
      const written = await writeConversation(this.#forest, importer.id, {
        ...read,
        ...(read.session && { session: { ...read.session, ...facts } }),
      });
      this.threads.add(written.thread);
      this.messages += written.messages;
      this.added += written.added;
      for (const problem of read.problems ?? [])
        this.problems.push({ code: 'wrong_shape', where: `${where}: ${problem.where}`, message: problem.message });
    } catch (error) {
      if (!isElementError(error)) throw error;
      this.problems.push({ code: error.code, where, message: error.message });
    }
  }
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
