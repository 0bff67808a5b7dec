import type { CallRef, ContentBlock, ToolUseBlock } from '../../message/index.ts';

/** A call of a tool that takes free text. It is answered by `custom_tool_call_output` and nothing else. */
interface CustomCall {
  readonly form: 'custom';
}

export function customToolUse(block: ToolUseBlock): ToolUseBlock & CustomCall {
  return { ...block, form: 'custom' };
}

export function isCustom(call: object): boolean {
  return (call as Partial<CustomCall>).form === 'custom';
}

/** The calls among these blocks, with what their answers depend on. */
export function callsIn(content: readonly ContentBlock[]): CallRef[] {
  return content.flatMap((block) => {
    if (block.type !== 'tool-use') return [];
    const call: CallRef = { id: block.id, name: block.name };
    return [isCustom(block) ? { ...call, form: 'custom' } : call];
  });
}
