/** Messages as the API reads them: consecutive messages of one role are one turn (wire-rules, "surprises"). */

import { isObject, type Json } from '../../json.ts';
export interface Placed {
  readonly block: Json;
  readonly type: string;
  /** Index in `messages` and in that message's `content`. */
  readonly message: number;
  readonly index: number;
  /** `messages.1.content.0` */
  readonly path: string;
}

export interface Turn {
  readonly role: string;
  /** Index of its first message. */
  readonly first: number;
  readonly blocks: readonly Placed[];
}

/** A string counts as one text block. */
export function contentBlocks(content: unknown): readonly Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

export const place = (message: Json, at: number): readonly Placed[] =>
  contentBlocks(message.content).map((block, index) => ({
    block,
    type: `${block.type}`,
    message: at,
    index,
    path: `messages.${at}.content.${index}`,
  }));

export function mergeTurns(messages: readonly Json[]): readonly Turn[] {
  const turns: { role: string; first: number; blocks: Placed[] }[] = [];
  messages.forEach((message, index) => {
    const last = turns.at(-1);
    const blocks = place(message, index);
    if (last && last.role === message.role) last.blocks.push(...blocks);
    else turns.push({ role: `${message.role}`, first: index, blocks: [...blocks] });
  });
  return turns;
}

export const isThinking = (placed: Placed | undefined): boolean =>
  placed?.type === 'thinking' || placed?.type === 'redacted_thinking';

/** Blocks of tools that run on Anthropic's side, both the call and its result. */
export const isServerCall = (placed: Placed | undefined): boolean =>
  placed?.type === 'server_tool_use' || placed?.type === 'mcp_tool_use';
export const isServerResult = (placed: Placed | undefined): boolean =>
  placed !== undefined && placed.type !== 'tool_result' && placed.type.endsWith('_tool_result');
