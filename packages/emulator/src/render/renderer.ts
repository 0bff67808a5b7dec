/** What every renderer takes and gives. */
import { createHash } from 'node:crypto';
import { type Json, rawJson, stringify } from '../json.ts';
import type { Sealer } from '../memory.ts';
import type { Extra, MessageReply, ReplyBlock, Stop, ToolUseBlock, Usage } from '../reply.ts';
import type { IssuedValue } from '../rules/verdict.ts';

export interface SseEvent {
  readonly event?: string;
  readonly data?: string;
  readonly comment?: string;
}

export interface RenderContext {
  /** The request's body, and its text for the estimate of its length. */
  readonly request: Json;
  readonly text: string;
  readonly model: string;
  readonly mint: Mint;
  /** Seconds since 1970. */
  readonly created: number;
  /** Leave unknown fields out of what a signature is bound to: the client will not be let to send them back. */
  readonly refuseOwnFields: boolean;
}

/** One reply in both forms, made from the same parts. */
export interface RenderedReply {
  readonly body: Json;
  readonly events: readonly SseEvent[];
  /** What clients send back of it. */
  readonly message: Json;
}

export type Renderer = (reply: MessageReply, context: RenderContext) => RenderedReply;

/** Ids and signatures: the same for the same seed, all different from one another. */
interface Mint {
  id(prefix: string, length: number): string;
  seal(issued: IssuedValue): string;
}

export function createMint(seed: string, sealer: Sealer): Mint {
  let count = 0;
  const next = () => createHash('sha256').update(`${seed}:${count++}`).digest('hex');
  return {
    id: (prefix, length) => `${prefix}${next().slice(0, length)}`,
    seal: (issued) => sealer.seal(issued, next()),
  };
}

export const event = (name: string | undefined, data: Json): SseEvent => ({
  ...(name !== undefined && { event: name }),
  data: stringify(data),
});

/** The arguments of a call as text: given so, or written. */
export const inputText = ({ input }: ToolUseBlock): string => (typeof input === 'string' ? input : stringify(input));
export const inputValue = (block: ToolUseBlock): unknown => rawJson(inputText(block));

export const readExtra = (block: ReplyBlock): Extra => (block.type === 'native' ? {} : (block.extra ?? {}));

export const isCall = (block: ReplyBlock): block is ToolUseBlock => block.type === 'tool-use';

export const readStop = ({ blocks, stop }: MessageReply): Stop => stop ?? (blocks.some(isCall) ? 'tool-use' : 'end');

function countedText(block: ReplyBlock): string {
  if (isCall(block)) return block.name + inputText(block);
  if (block.type === 'native') return stringify(block.value);
  return 'text' in block ? block.text : '';
}

/** Given counts, or estimates. */
export function countUsage({ usage = {}, blocks }: MessageReply, { text }: RenderContext): Required<Usage> {
  const isThinking = ({ type }: ReplyBlock) => type === 'thinking';
  const thought = blocks.filter(isThinking).map(countedText).join('');
  return {
    input: usage.input ?? estimateTokens(text),
    output: usage.output ?? estimateTokens(blocks.map(countedText).join('')),
    reasoning: usage.reasoning ?? (thought === '' ? 0 : estimateTokens(thought)),
    cached: usage.cached ?? 0,
  };
}

/** Cuts a text into pieces of a stream, between characters: providers send no halves of surrogate pairs. */
export function pieces(text: string, size: number): readonly string[] {
  const characters = Array.from(text);
  const found: string[] = [];
  for (let start = 0; start < characters.length; start += Math.max(1, size)) {
    found.push(characters.slice(start, start + Math.max(1, size)).join(''));
  }
  return found;
}

/** A rough count: four characters are a token. */
export const estimateTokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4));
