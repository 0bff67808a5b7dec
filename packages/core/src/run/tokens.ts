import type { Usage } from '../dialects/index.ts';
import type { ContentBlock, Message } from '../message/index.ts';
import type { ModelLimits, RunOptions } from './options.ts';

/** A rough estimate, used where no provider has counted: a token is four characters, and an image or a page this many tokens. */
const CHARACTERS = 4;
const MEDIA = 1500;

/** A rough estimate of the tokens of messages. */
export function estimateTokens(messages: Iterable<Message>): number {
  let sum = 0;
  for (const message of messages) sum += estimateMessage(message);
  return sum;
}

function estimateMessage(message: Message): number {
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

/** A rough estimate of the input tokens of a request. */
export function estimateInput(messages: readonly Message[], system: RunOptions['system']): number {
  return estimateTokens(messages) + estimateText(joinSystem(system));
}

export function joinSystem(system: RunOptions['system']): string {
  return typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('');
}

/** The limit of tokens for the reply: the wanted one, as far as the model and its context leave room. Never below 1. */
export function clampMaxTokens(
  wanted: number | undefined,
  { contextTokens, maxOutputTokens }: ModelLimits,
  inputCharacters: number,
  inputTokens: () => number,
): number | undefined {
  if (wanted === undefined) return undefined;
  const most = Math.min(wanted, maxOutputTokens ?? wanted);
  // Hardly any token is shorter than a character, so most histories need not be estimated.
  if (contextTokens === undefined || inputCharacters + most <= contextTokens) return Math.max(1, most);
  return Math.max(1, Math.min(most, contextTokens - inputTokens()));
}

type Buckets = Omit<Usage, 'native'>;

const NOTHING: Buckets = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
const NAMES = Object.keys(NOTHING) as (keyof Buckets)[];

/** The sum of usages, bucket by bucket; `native` is the list of their own texts. */
export function sumUsage(all: readonly Usage[]): Usage | undefined {
  if (all.length === 0) return undefined;
  const sums = NAMES.map((name) => [name, all.reduce((sum, usage) => sum + usage[name], 0)]);
  return {
    ...(Object.fromEntries(sums) as unknown as Buckets),
    native: `[${all.map(({ native }) => native).join(',')}]`,
  };
}

/** Adds two such sums. */
export function addUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (!one || !other) return one ?? other;
  const native = `${one.native.slice(0, -1)},${other.native.slice(1)}`;
  return { ...sumUsage([one, other])!, native };
}

export function totalTokens(usage: Usage | undefined): number {
  return usage ? NAMES.reduce((sum, name) => sum + usage[name], 0) : 0;
}

/** The usage of a reply that was cut: the input that it reported, and the output estimated by what arrived. */
export function estimateUsage(message: Message, told: Usage | undefined, inputTokens: () => number): Usage {
  const said = told && totalTokens(told) > 0 ? told : undefined;
  const base = said ?? { ...NOTHING, input: inputTokens(), native: 'null' };
  const written = Math.max(estimateMessage(message), base.output + base.reasoning);
  return { ...base, output: written - base.reasoning };
}
