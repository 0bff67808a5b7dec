/** Where a streamed string belongs: in an item, or in a part of one of its lists. */
export interface Place {
  /** The type of item, for events whose item was never announced. */
  readonly item: string;
  readonly list?: string;
  /** The type of part, for one that was never announced. */
  readonly part?: string;
  readonly member: string;
  readonly says?: 'text' | 'reasoning' | 'refusal' | 'tool-arguments';
}

/** By the name of the event: the type of item, its list, the type of part, the member of that part, what it says. */
const TEXTS = [
  ['output_text', 'message', 'content', 'output_text', 'text', 'text'],
  ['refusal', 'message', 'content', 'refusal', 'refusal', 'refusal'],
  ['reasoning_text', 'reasoning', 'content', 'reasoning_text', 'text', 'reasoning'],
  ['reasoning_summary_text', 'reasoning', 'summary', 'summary_text', 'text', 'reasoning'],
] as const;

/** The place of what `response.<name>.delta` brings. Strings of calls are named after the item and its member. */
export function placeOf(name: string): Place | undefined {
  const text = TEXTS.find(([known]) => known === name);
  if (text) {
    const [, item, list, part, member, says] = text;
    return { item, list, part, member, says };
  }
  const [, item, member] = /^(\w+_call)_(?:operation_)?(\w+)$/.exec(name) ?? [];
  if (item === undefined || member === undefined) return undefined;
  const isCalled = item === 'function_call' || item === 'custom_tool_call';
  return { item, member, ...(isCalled && { says: 'tool-arguments' }) };
}

/** How server-side tools get on, previews of images, signs of life: what they lead to comes with the item. */
export const PROGRESS = /^response\.\w+_(?:call|list_tools|output_content)\.\w+$|^keepalive$/;

export const TERMINAL = /^response\.(?:completed|incomplete|failed|cancelled)$/;
