import type { Approval, SkeinErrorCode } from '@skein/core';
import type { BranchState, Engine, Forest, Generation, GenerationEvent, ResumeOptions } from '@skein/forest';
import { noticeText } from '../output/message-text.ts';
import { CommandError, note, oneLine, toPrintable, write } from '../output/output.ts';
import { createUsageSum, NO_USAGE, type UsageSum } from '../output/usage-text.ts';

/** The result of following a generation, with the id of its last event, after which a resumed generation is followed. */
export interface FollowResult {
  readonly branch: BranchState;
  readonly after: string | undefined;
}

/** Shows a generation while it runs: the answer on standard output, everything else on standard error. Ctrl+C stops it. */
export async function followGeneration(
  engine: Engine,
  generation: Generation,
  quiet: boolean,
  behind?: string,
): Promise<FollowResult> {
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
        write(toPrintable(event.text));
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

/** Approves all waiting calls, for `--yes`. */
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
export function requireAnswer({ status, error, pending = [], stop }: BranchState): void {
  if (status === 'done') return;
  if (status === 'waiting')
    throw new CommandError(
      'calls_open',
      `Waiting for approval of ${pending.map(({ name }) => name).join(', ')}: --yes approves every call.`,
    );
  if (error) throw new CommandError(error.code as SkeinErrorCode, error.message);
  throw new CommandError('no_answer', `It ended early: ${stop?.reason ?? status}.`);
}

function lineFor(event: GenerationEvent): string | undefined {
  if (event.type === 'tool-start') return `→ ${oneLine(event.name)}`;
  if (event.type === 'retry') return `Retrying (attempt ${event.attempt}): ${oneLine(event.reason, 200)}`;
  if (event.type === 'notice') return oneLine(noticeText(event.notice), 300);
  return undefined;
}

interface GenerationUsage {
  readonly replies: number;
  readonly usage: NonNullable<UsageSum['usage']>;
  /** Undefined when the price of any reply is not known. */
  readonly cost: UsageSum['cost'];
}

/** The usage of one generation. Equal replies share a node, so nodes on the path may also have takes of other generations. */
export async function readGenerationUsage(
  forest: Forest,
  generation: string,
  asked: string,
  head: string,
): Promise<GenerationUsage> {
  const path = head === asked ? [] : await forest.path(head, asked);
  const replies = path.flatMap(({ takes }) => takes.filter((take) => take.generation === generation && take.usage));
  const tally = createUsageSum();
  for (const { usage, cost } of replies) tally.add(usage, cost);
  return { replies: replies.length, usage: tally.usage ?? NO_USAGE, cost: tally.cost };
}
