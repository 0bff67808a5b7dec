import {
  isObject,
  type Message,
  type NativeTool,
  parseJson,
  type Tool,
  type ToolDefinition,
  type ToolOutput,
  tool,
} from '@skein/core';
import type { ForestContext } from '../forest/index.ts';
import { sha256 } from '../model/ids.ts';
import type { BodyRecord } from '../model/records.ts';

/**
 * Makes the body that stores the tools of a request as one JSON text, so that the conversation can continue with the same
 * tools, whether this process can run them or not.
 */
export function makeToolsBody(tools: readonly ToolDefinition[]): BodyRecord | undefined {
  if (tools.length === 0) return undefined;
  const text = JSON.stringify(tools);
  return { k: 'body', digest: sha256(text), text };
}

/** The definition of a tool, as a model gets it. */
export function toDefinition(one: Tool | NativeTool): ToolDefinition {
  if (!('execute' in one)) return one;
  const { name, description, parameters } = one;
  return { name, ...(description !== undefined && { description }), parameters };
}

/**
 * Returns the tools with which a conversation continues: those of its last request, each replaced by the available tool of
 * the same name. Calls to the others wait until a person writes the result.
 *
 * @example
 * const last = await engine.lastRequest(thread);
 * const tools = continueTools(last?.tools ?? [], [readFile, search]);
 */
export function continueTools(
  last: readonly ToolDefinition[],
  available: readonly Tool[] = [],
): readonly (Tool | NativeTool)[] {
  return last.map((definition) => {
    const name = toolName(definition);
    if (name === undefined) return definition as NativeTool;
    return available.find((one) => one.name === name) ?? standIn(name, definition);
  });
}

function standIn(name: string, definition: ToolDefinition): Tool {
  const isNative = 'native' in definition;
  const parameters = isNative ? undefined : definition.parameters;
  return tool({
    name,
    ...(!isNative && definition.description !== undefined && { description: definition.description }),
    input: (typeof parameters === 'string' ? (parseJson(parameters) as object) : (parameters ?? {})) as never,
    ...(isNative && { native: [definition] }),
    needsApproval: true,
    execute: () => {
      throw new Error(`"${name}" runs in the program that was recorded, not here: write its result.`);
    },
  });
}

/**
 * Returns the name under which a model calls a tool; undefined for tools that the provider itself runs.
 *
 * @example
 * toolName({ name: 'search', parameters: {} }); // 'search'
 */
export function toolName(definition: ToolDefinition): string | undefined {
  if (!('native' in definition)) return definition.name;
  const value: unknown = JSON.parse(definition.native);
  if (!isObject(value)) return undefined;
  const { type = 'custom', name, function: inner } = value;
  if (isObject(inner) && typeof inner.name === 'string') return inner.name;
  return (type === 'custom' || type === 'function') && typeof name === 'string' ? name : undefined;
}

/**
 * Wraps a tool so that its result is stored before it is returned: a run that resumes after a crash does not run it again.
 * `key` names the branch of the generation; `ready` resolves when the message with the call is stored.
 */
export function withJournal(
  tool: Tool,
  { store, clock }: ForestContext,
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
      // Some providers use the same call ids in every turn.
      const id = `${key}/${at}/${messages[at]?.facts.digest.slice(0, 16)}/${callId}`;
      const done = await store.entry('tool-journal', id);
      if (done) return replay(done.data);
      const outcome = await perform(() => tool.execute(input, context));
      // An aborted tool has not finished: its call may be repeated.
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

/** An outcome as JSON; big integers become strings. */
function storable(outcome: Outcome): Readonly<Record<string, unknown>> {
  if ('error' in outcome) return outcome;
  const text = JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return JSON.parse(text);
}

function replay(outcome: Readonly<Record<string, unknown>>): ToolOutput {
  if (typeof outcome.error === 'string') throw new Error(outcome.error);
  return outcome.output as ToolOutput;
}
