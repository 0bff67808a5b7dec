import { assistant, type ContentBlock, type Message, toolResult } from '@skein/core';

/** A result as a source has it, in the middle of what the assistant said. */
export interface Answered {
  readonly callId: string;
  readonly content: string | readonly ContentBlock[];
  readonly isError: boolean;
}

/**
 * Some sources gather an assistant's calls, their results and what it said next in one message. Here each request to
 * a model has its own: what was said and called, the results, and what followed.
 */
export function turnsOf(items: readonly (ContentBlock | { readonly result: Answered })[]): Message[] {
  const messages: Message[] = [];
  let said: ContentBlock[] = [];
  let results: Answered[] = [];
  const flush = () => {
    if (said.length > 0) messages.push(assistant(said));
    for (const { callId, content, isError } of results) messages.push(toolResult(callId, content, { isError }));
    said = [];
    results = [];
  };
  for (const item of items) {
    if ('result' in item) results.push(item.result);
    else {
      // Calls that were made side by side come before their results.
      if (results.length > 0 && (item.type !== 'tool-use' || hasCallsBefore(said, results))) flush();
      said.push(item);
    }
  }
  flush();
  return messages.length > 0 ? messages : [assistant([])];
}

/** Whether every call so far has its result: what follows is another turn. */
function hasCallsBefore(said: readonly ContentBlock[], results: readonly Answered[]): boolean {
  return said.filter(({ type }) => type === 'tool-use').length <= results.length;
}
