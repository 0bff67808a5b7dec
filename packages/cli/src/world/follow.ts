import type { Approval } from '@skein/core';
import type { BranchState, Engine, Generation, GenerationEvent, ResumeOptions } from '@skein/forest';
import { withHint } from '../output/error-text.ts';
import { harmless, note, oneLine, write } from '../output/output.ts';

/** How far a generation was followed: the event it goes on behind when it is taken up again. */
export interface Followed {
  readonly branch: BranchState;
  readonly after: string | undefined;
}

/** Shows a generation as it grows: the answer's text as the result, everything else beside it. Ctrl+C ends it. */
export async function followGeneration(
  engine: Engine,
  generation: Generation,
  quiet: boolean,
  behind?: string,
): Promise<Followed> {
  const stop = () => generation.stop();
  process.once('SIGINT', stop);
  try {
    let after = behind;
    let last = '\n';
    const endLine = () => {
      if (last !== '\n') write('\n');
      last = '\n';
    };
    for await (const { id, event } of engine.follow(generation.id, behind)) {
      after = id;
      if (event.type === 'text' && !quiet) {
        write(harmless(event.text));
        last = event.text.at(-1) ?? last;
      }
      if (event.type === 'message') endLine();
      const line = lineFor(event);
      if (line !== undefined) note(line);
    }
    endLine();
    return { branch: (await generation.result).branches[0]!, after };
  } finally {
    process.removeListener('SIGINT', stop);
  }
}

/** Goes on with whatever waits for approval, for people who said yes to everything. */
export async function approveAll(
  engine: Engine,
  generation: Generation,
  { pending = [] }: BranchState,
  options: ResumeOptions,
): Promise<Generation> {
  const approvals = Object.fromEntries(pending.map(({ id }): [string, Approval] => [id, 'approve']));
  return engine.resume(generation.id, { ...options, approvals });
}

/** Throws unless the branch has an answer. */
export function needAnswer({ status, error, pending = [], stop }: BranchState): void {
  if (status === 'done') return;
  if (status === 'waiting')
    throw new Error(
      `Waiting for approval of ${pending.map(({ name }) => name).join(', ')}: --yes approves every call.`,
    );
  throw new Error(error ? withHint(error.message, error.code) : `It ended early: ${stop?.reason ?? status}.`);
}

function lineFor(event: GenerationEvent): string | undefined {
  if (event.type === 'tool-start') return `→ ${oneLine(event.name)}`;
  if (event.type === 'retry') return `Trying again (${event.attempt}): ${oneLine(event.reason, 200)}`;
  if (event.type === 'notice') return oneLine(event.notice.message, 200);
  return undefined;
}
