import type { Message, Tool, ToolOutput } from '@skein/core';
import type { Context } from '../forest/context.ts';

/**
 * A tool that writes down what it gave before it gives it, so that a run which goes on after a crash does not run
 * it again. `key` names the branch of the generation; `ready` resolves when the message that makes the call is stored.
 */
export function journalled(
  tool: Tool,
  { store, clock }: Context,
  key: string,
  ready: (caller: Message | undefined) => Promise<void>,
): Tool {
  return {
    ...tool,
    check: (text) => tool.check(text),
    needsApproval: (input, context) => tool.needsApproval(input, context),
    async execute(input, context) {
      const { messages, callId } = context;
      const at = messages.findLastIndex(({ role }) => role === 'assistant');
      await ready(messages[at]);
      // Some providers give the calls of every turn the same ids.
      const id = `${key}/${at}/${messages[at]?.facts.digest.slice(0, 16)}/${callId}`;
      const done = await store.entry('tool-journal', id);
      if (done) return replay(done.data);
      const outcome = await perform(() => tool.execute(input, context));
      // A tool that was told to stop has not finished: its call may be made again.
      if (!context.signal.aborted) {
        const data = { name: tool.name, ...storable(outcome) };
        await store.append([{ k: 'tool-journal', id, of: key, order: callId, clock: clock.tick(), data }]);
      }
      return replay(outcome);
    },
  };
}

type Outcome = { readonly output: ToolOutput } | { readonly error: string };

async function perform(execute: () => ToolOutput | Promise<ToolOutput>): Promise<Outcome> {
  try {
    return { output: await execute() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** As JSON has it; integers that a double cannot hold as their digits. */
function storable(outcome: Outcome): Readonly<Record<string, unknown>> {
  if ('error' in outcome) return outcome;
  const text = JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return JSON.parse(text);
}

function replay(outcome: Readonly<Record<string, unknown>>): ToolOutput {
  if (typeof outcome.error === 'string') throw new Error(outcome.error);
  return outcome.output as ToolOutput;
}
