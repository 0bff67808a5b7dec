import type { ContentBlock, Message } from '../message/index.ts';
import type { ModelLimits, RunOptions } from './types.ts';

/** Rough, and only used where nobody has counted: four characters are a token, an image or a page is about this many. */
const CHARACTERS = 4;
const MEDIA = 1500;

export function estimateTokens(messages: Iterable<Message>): number {
  let sum = 0;
  for (const message of messages) sum += estimateMessage(message);
  return sum;
}

export function estimateMessage(message: Message): number {
  return message.content.reduce((sum, block) => sum + estimateBlock(block), 0);
}

function estimateBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'media':
      return MEDIA;
    case 'tool-use':
      return estimateText(block.name + block.rawParameters);
    case 'tool-result':
      return block.content.reduce((sum, inner) => sum + estimateBlock(inner), 0);
    case 'unknown':
      return estimateText(block.native);
    default:
      return estimateText(block.text);
  }
}

export function estimateText(text: string): number {
  return Math.ceil(text.length / CHARACTERS);
}

/** Of a whole request. */
export function estimateInput(messages: readonly Message[], system: RunOptions['system']): number {
  return estimateTokens(messages) + estimateText(systemText(system));
}

export function systemText(system: RunOptions['system']): string {
  return typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('');
}

/** The most tokens that may be written: what was asked for, as far as the model and its context leave room. Never below 1. */
export function clampMaxTokens(
  wanted: number | undefined,
  { contextTokens, maxOutputTokens }: ModelLimits,
  inputCharacters: number,
  inputTokens: () => number,
): number | undefined {
  if (wanted === undefined) return undefined;
  const most = Math.min(wanted, maxOutputTokens ?? wanted);
  // Hardly any token is shorter than a character: most histories need not be looked at.
  if (contextTokens === undefined || inputCharacters + most <= contextTokens) return Math.max(1, most);
  return Math.max(1, Math.min(most, contextTokens - inputTokens()));
}
