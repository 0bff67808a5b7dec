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

/** Stands for a message of which nothing is left: the layout refuses blank texts, and what follows hangs below it. */
const NOTHING = '(empty)';

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
      if (block.type === 'text' || block.type === 'refusal') {
        if (isBlank(block.text)) losses.push({ kind: 'dropped', path: at, reason: 'empty' });
        else if (block.type === 'refusal') losses.push({ kind: 'rewritten', path: at, reason: 'refusal' });
        else if (block.citations) losses.push({ kind: 'dropped', path: at, reason: 'citations' });
        return isBlank(block.text) ? [] : [{ type: 'text', text: block.text } as const];
      }
      const isNamed = block.type === 'tool-use' && !isBlank(block.id) && !isBlank(block.name);
      if (isNamed && message.role === 'assistant') return [withObject(block, at, losses)];
      if (block.type !== 'tool-result') losses.push({ kind: 'dropped', path: at, reason: reasonOf(block) });
      return [];
    });
  const something = (blocks: ContentBlock[]): ContentBlock[] => {
    if (blocks.length > 0) return blocks;
    losses.push({ kind: 'synthesised', path: 'content', reason: 'empty' });
    return [{ type: 'text', text: NOTHING }];
  };
  const results = message.toolResults.map(({ toolCallId, content, isError }) =>
    toolResult(toolCallId, something(plain(content, 'content')), { isError }),
  );
  const rest = message.role === 'tool' ? [] : plain(message.content, 'content');
  if (message.role === 'system' || message.role === 'other')
    losses.push({ kind: 'rewritten', path: 'role', reason: 'inline-system' });
  const write = message.role === 'assistant' ? assistant : user;
  const said = rest.length > 0 || results.length === 0 ? [write(something(rest))] : [];
  return { texts: [...results, ...said].map(({ raw }) => raw), losses };
}

function isOlder({ raw, origin }: Message): boolean {
  if (origin.dialect !== 'blocks') return false;
  try {
    const { content } = readOlderMessage(raw, parseJson(raw));
    return content.every(isWhole);
  } catch {
    return false;
  }
}

/** A block that the reader of the older layout takes: it wants texts, ids and names that are not blank. */
function isWhole(block: ContentBlock): boolean {
  if (block.type === 'text') return !isBlank(block.text);
  if (block.type === 'tool-use') return !isBlank(block.id) && !isBlank(block.name);
  return block.type === 'tool-result' && block.content.every(isWhole);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

type ToolUse = Extract<ContentBlock, { type: 'tool-use' }>;

/** Arguments that are no object cannot be read back. */
function withObject(
  { id, name, parameters, rawParameters }: ToolUse,
  path: string,
  losses: Omit<Loss, 'message'>[],
): ContentBlock {
  const isObjectText = isBlank(rawParameters) || (isJson(rawParameters) && rawParameters.trimStart().startsWith('{'));
  if (!isObjectText) losses.push({ kind: 'rewritten', path, reason: 'malformed-arguments' });
  return {
    type: 'tool-use',
    id,
    name,
    parameters,
    rawParameters: isObjectText ? rawParameters : JSON.stringify({ input: rawParameters }),
  };
}

function reasonOf(block: ContentBlock): Loss['reason'] {
  if (block.type === 'reasoning') return 'foreign-reasoning';
  if (block.type === 'tool-use') return 'tool-name';
  return block.type === 'media' ? 'unsupported-media' : 'unknown-block';
}
