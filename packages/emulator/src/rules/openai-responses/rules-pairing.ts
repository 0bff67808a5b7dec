import { finding } from '../openai/finding.ts';
import type { ResponsesContext, ResponsesRule } from './context.ts';

/** Calls that the client runs, with the names the API gives them in its messages. */
const clientCalls: Readonly<Record<string, string>> = {
  function_call: 'function call',
  custom_tool_call: 'custom tool call',
  computer_call: 'computer call',
  local_shell_call: 'local shell call',
  shell_call: 'shell call',
  apply_patch_call: 'apply patch call',
};

const isOutput = (type: string | undefined): boolean => type?.endsWith('_call_output') ?? false;

/** The local shell names its call in `id`. */
const answered = ({ items }: ResponsesContext): ReadonlySet<string | undefined> =>
  new Set(items.filter(({ type }) => isOutput(type)).map(({ callId, id }) => callId ?? id));

const openOf = ({ memory, chain }: ResponsesContext): readonly string[] | undefined =>
  chain === undefined ? [] : memory?.openCalls?.(chain);

export const callUnanswered: ResponsesRule = {
  id: 'call-unanswered',
  *check(context) {
    const outputs = answered(context);
    const words = (name: string, id: string) => `No tool output found for ${name} ${id}.`;
    for (const { type = '', callId } of context.items) {
      const name = clientCalls[type];
      if (name === undefined || callId === undefined || outputs.has(callId)) continue;
      yield finding(words(name, callId), 'input');
    }
    for (const id of openOf(context) ?? []) if (!outputs.has(id)) yield finding(words('function call', id), 'input');
  },
};

export const outputOrphan: ResponsesRule = {
  id: 'output-orphan',
  *check(context) {
    const open = openOf(context);
    // What a continued response or a referenced item called is not to be seen from here.
    if (open === undefined) return;
    const calls = new Set<string | undefined>(open);
    for (const { type = '', id, callId } of context.items) {
      if (type === 'item_reference') return;
      // A client's tool search may be answered like a function (recorded).
      if (type in clientCalls || type === 'tool_search_call') calls.add(callId ?? id);
      if (!isOutput(type) || calls.has(callId ?? id)) continue;
      const name = clientCalls[type.replace(/_output$/, '')] ?? 'function call';
      yield finding(`No tool call found for ${name} output with call_id ${callId ?? id}.`, 'input');
    }
  },
};
