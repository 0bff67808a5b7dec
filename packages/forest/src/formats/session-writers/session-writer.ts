import { createHash } from 'node:crypto';
import {
  assistant,
  type ContentBlock,
  type Dialect,
  elementTexts,
  type Loss,
  type Message,
  textAt,
  user,
  writeRequest,
} from '@skein/core';
import { joinTexts } from '../../forest/index.ts';

/** A conversation to be written as a session of a coding agent. */
export interface SessionSource {
  readonly messages: readonly Message[];
  readonly title: string;
  /** Milliseconds since 1970, of each message. */
  readonly times: readonly number[];
  /** The folder in which the agent shall go on. */
  readonly cwd: string;
  /** The id of the new session, in the form of a UUID. */
  readonly id: string;
  /** The model that shall go on. */
  readonly model: string;
  /** Whether that model wrote nothing of the conversation. */
  readonly isNewModel: boolean;
}

/** Files that a coding agent reads as a session, and how it is told to. */
export interface WrittenSession {
  /** By their paths below the agent's own folder. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** The command that goes on with it. */
  readonly resume: readonly string[];
  readonly losses: readonly Loss[];
}

/** Writes sessions of one coding agent. */
export interface SessionWriter {
  readonly agent: string;
  /** The names of the tools that the agent has. Calls of others are told as text. */
  readonly tools: ReadonlySet<string>;
  write(source: SessionSource): WrittenSession;
}

/** The messages of a request in a dialect, each as its exact text, and what could not be carried. */
export function messagesIn(
  dialect: Dialect,
  { messages, model }: SessionSource,
  tools: ReadonlySet<string>,
): { readonly texts: readonly string[]; readonly losses: readonly Loss[] } {
  const told = tellForeignCalls(
    messages.filter(({ role }) => role !== 'system'),
    tools,
  );
  const spoken = joinTexts(told.messages);
  // A session may end with a reply, which a request may not.
  const provider = { ...dialect.home, policies: { ...dialect.home.policies, prefill: { default: 'yes' } } } as const;
  const { body, losses } = writeRequest(dialect, { model, messages: spoken, provider });
  return {
    texts: elementTexts(textAt(body, [dialect.members!.messages]) ?? '[]'),
    losses: [...told.losses, ...losses],
  };
}

/**
 * Calls of tools that the agent does not have, with their results, become text: it could not go on from them. Reasoning
 * belongs to the reply as it was, so it is left out of one that is changed.
 */
export function tellForeignCalls(
  messages: readonly Message[],
  tools: ReadonlySet<string>,
): { readonly messages: readonly Message[]; readonly losses: readonly Loss[] } {
  const told = new Set<string>();
  const losses: Loss[] = [];
  const written = messages.flatMap((message, index): Message[] => {
    const calls = message.content.filter((block) => block.type === 'tool-use' && !tools.has(block.name));
    for (const block of calls) if (block.type === 'tool-use') told.add(block.id);
    const isForeign = (block: ContentBlock) =>
      (block.type === 'tool-use' && told.has(block.id)) || (block.type === 'tool-result' && told.has(block.toolCallId));
    if (!message.content.some(isForeign)) return [message];
    const blocks = message.content.flatMap((block, at): ContentBlock[] => {
      const place = { message: index, path: `content[${at}]` };
      if (!isForeign(block)) {
        if (block.type !== 'reasoning') return [block];
        losses.push({ ...place, kind: 'dropped', reason: 'foreign-reasoning' });
        return [];
      }
      if (block.type === 'tool-use') {
        losses.push({ ...place, kind: 'rewritten', reason: 'foreign-tool', detail: block.name });
        return [{ type: 'text', text: `[Called ${block.name} with ${block.rawParameters}]` }];
      }
      if (block.type !== 'tool-result') return [];
      const text = block.content.map((one) => (one.type === 'text' ? one.text : `[${one.type}]`)).join('\n');
      return [{ type: 'text', text: `[${block.isError ? 'It failed' : 'It returned'}]\n${text}` }];
    });
    return [message.role === 'assistant' ? assistant(blocks) : user(blocks)];
  });
  return { messages: written, losses };
}

/** A UUID that is always the same for the same words. */
export function stableUuid(...words: readonly (string | number)[]): string {
  const hex = createHash('sha256').update(words.join('\n')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The time of a message as text; messages without one follow those before them. */
export function timeText({ times }: SessionSource, index: number): string {
  return new Date(times[Math.min(index, times.length - 1)] ?? 0).toISOString();
}
