import { randomUUID } from 'node:crypto';
import type { Loss } from '@skein/core';
import type { Forest } from '../../forest/index.ts';
import { FormatError } from '../format-error.ts';
import type { SessionWriter, WrittenSession } from './session-writer.ts';

export type { WrittenSession } from './session-writer.ts';

/** Each is loaded when it is asked for. */
const WRITERS: ReadonlyMap<string, () => Promise<SessionWriter>> = new Map([
  ['claude-code', async () => (await import('./claude-code.ts')).claudeCodeWriter],
  ['codex', async () => (await import('./codex.ts')).codexWriter],
  ['opencode', async () => (await import('./opencode.ts')).opencodeWriter],
  ['pi', async () => (await import('./pi.ts')).piWriter],
]);

/** The agents whose sessions can be written. */
export const WRITABLE_AGENTS: readonly string[] = [...WRITERS.keys()];

/** Options of `writeSession`. */
export interface WriteSessionOptions {
  /** The agent that shall go on, such as `codex`. */
  readonly agent: string;
  /** The folder in which it shall go on; default: the one that the conversation was in, else that of the process. */
  readonly cwd?: string;
  /** The model that shall go on; default: the one that answered last. */
  readonly model?: string;
  /** The id of the new session; default: a new one. */
  readonly id?: string;
}

/**
 * Writes a conversation as a session that a coding agent goes on with, whichever agent or program it began in. Nothing is
 * stored: the files are returned as texts, with the losses and the command that resumes it.
 *
 * @example
 * const { files, resume } = await writeSession(forest, thread.id, { agent: 'codex' });
 */
export async function writeSession(
  forest: Forest,
  thread: string,
  { agent, cwd, model, id = randomUUID() }: WriteSessionOptions,
): Promise<WrittenSession & { readonly losses: readonly Loss[] }> {
  const load = WRITERS.get(agent);
  if (!load)
    throw new FormatError(
      'unknown_format',
      `Sessions of "${agent}" cannot be written. Use one of ${WRITABLE_AGENTS.join(', ')}.`,
    );
  const about = await forest.threads.get(thread);
  const nodes = await forest.path(about.head);
  const models = nodes.flatMap(({ takes }) => takes.flatMap((take) => (take.author === 'model' ? [take.model] : [])));
  const writer = await load();
  return writer.write({
    messages: nodes.map(({ message }) => message),
    times: nodes.map(({ takes }) => takes[0]?.at ?? about.createdAt),
    title: about.title,
    cwd: cwd ?? about.cwd ?? process.cwd(),
    id,
    model: model ?? models.at(-1) ?? 'any',
    isNewModel: model !== undefined && !models.includes(model),
  });
}
