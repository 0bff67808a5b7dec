import {
  assistant,
  type ContentBlock,
  isJson,
  type Loss,
  type Message,
  parseJson,
  toolResult,
  user,
} from '@skein/core';
import { readOlderMessage } from '../older/check-message.ts';

/** The JSON texts of the messages that one becomes in the older layout, and what they cannot say. */
export interface OlderMessages {
  readonly texts: readonly string[];
  readonly losses: readonly Omit<Loss, 'message'>[];
}

/**
 * The older layout knows text and calls, of users, assistants and tools. Results that were gathered are kept apart; what
 * it has no word for is left out, and said.
 */
export function olderMessages(message: Message): OlderMessages {
  if (isOlder(message)) return { texts: [message.raw], losses: [] };
  const losses: Omit<Loss, 'message'>[] = [];
  const plain = (blocks: readonly ContentBlock[], path: string): ContentBlock[] =>
    blocks.flatMap((block, index) => {
      const at = `${path}[${index}]`;
      if (block.type === 'refusal') return [{ type: 'text', text: block.text } as const];
      if (block.type === 'text') {
        if (block.citations) losses.push({ kind: 'dropped', path: at, reason: 'citations' });
        return [{ type: 'text', text: block.text } as const];
      }
      if (block.type === 'tool-use' && message.role === 'assistant') return [withObject(block, at, losses)];
      if (block.type !== 'tool-result') losses.push({ kind: 'dropped', path: at, reason: reasonOf(block) });
      return [];
    });
  const results = message.toolResults.map(({ toolCallId, content }) =>
    toolResult(toolCallId, plain(content, 'content')),
  );
  const rest = message.role === 'tool' ? [] : plain(message.content, 'content');
  if (message.role === 'system' || message.role === 'other')
    losses.push({ kind: 'rewritten', path: 'role', reason: 'inline-system' });
  const write = message.role === 'assistant' ? assistant : user;
  const said = rest.length > 0 || results.length === 0 ? [write(rest)] : [];
  return { texts: [...results, ...said].map(({ raw }) => raw), losses };
}

function isOlder({ raw, origin }: Message): boolean {
  if (origin.dialect !== 'blocks') return false;
  try {
    readOlderMessage(raw, parseJson(raw));
    return true;
  } catch {
    return false;
  }
}

type ToolUse = Extract<ContentBlock, { type: 'tool-use' }>;

/** Arguments that are no object cannot be read back. */
function withObject(
  { id, name, parameters, rawParameters }: ToolUse,
  path: string,
  losses: Omit<Loss, 'message'>[],
): ContentBlock {
  const isWhole = rawParameters.trim() === '' || (isJson(rawParameters) && rawParameters.trimStart().startsWith('{'));
  if (!isWhole) losses.push({ kind: 'rewritten', path, reason: 'malformed-arguments' });
  return {
    type: 'tool-use',
    id,
    name,
    parameters,
    rawParameters: isWhole ? rawParameters : JSON.stringify({ input: rawParameters }),
  };
}

function reasonOf(block: ContentBlock): Loss['reason'] {
  if (block.type === 'reasoning') return 'foreign-reasoning';
  return block.type === 'media' ? 'unsupported-media' : 'unknown-block';
}
