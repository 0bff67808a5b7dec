/** What the renderers share: a renderer writes a reply as a response of its protocol, whole and as stream events. */
import { createHash } from 'node:crypto';
import { type Json, rawJson, stringify } from '../json.ts';
import type { Sealer } from '../memory.ts';
import type { Extra, MessageReply, ReplyBlock, ReplyStop, ReplyUsage, ToolUseReplyBlock } from '../reply.ts';
import type { IssuedValue } from '../rules/verdict.ts';

export interface SseEvent {
  readonly event?: string;
  readonly data?: string;
  readonly comment?: string;
  /** Of AWS: it reports a failure. */
  readonly exception?: boolean;
}

export interface RenderContext {
  /** The request's body, and its text, from which its tokens are estimated. */
  readonly request: Json;
  readonly text: string;
  readonly model: string;
  readonly mint: Mint;
  /** Seconds since 1970. */
  readonly created: number;
  /** Do not bind signatures to unknown fields, because the client may not send them back. */
  readonly refuseOwnFields: boolean;
}

/** One reply in both forms. */
export interface RenderedReply {
  readonly body: Json;
  readonly events: readonly SseEvent[];
  /** The part of the reply that clients send back. */
  readonly message: Json;
}

export type Renderer = (reply: MessageReply, context: RenderContext) => RenderedReply;

/** Makes ids and signatures, each different from the others; the same seed gives the same ones. */
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

/** The arguments of a call as JSON text. */
export const inputText = ({ input }: ToolUseReplyBlock): string =>
  typeof input === 'string' ? input : stringify(input);
export const inputValue = (block: ToolUseReplyBlock): unknown => rawJson(inputText(block));

export const readExtra = (block: ReplyBlock): Extra => (block.type === 'native' ? {} : (block.extra ?? {}));

export const isCall = (block: ReplyBlock): block is ToolUseReplyBlock => block.type === 'tool-use';

export const readStop = ({ blocks, stop }: MessageReply): ReplyStop =>
  stop ?? (blocks.some(isCall) ? 'tool-use' : 'end');

function countedText(block: ReplyBlock): string {
  if (isCall(block)) return block.name + inputText(block);
  if (block.type === 'native') return stringify(block.value);
  return 'text' in block ? block.text : '';
}

/** The scripted counts; estimates where there are none. */
export function countUsage({ usage = {}, blocks }: MessageReply, { text }: RenderContext): Required<ReplyUsage> {
  const isThinking = ({ type }: ReplyBlock) => type === 'thinking';
  const thought = blocks.filter(isThinking).map(countedText).join('');
  return {
    input: usage.input ?? estimateTokens(text),
    output: usage.output ?? estimateTokens(blocks.map(countedText).join('')),
    reasoning: usage.reasoning ?? (thought === '' ? 0 : estimateTokens(thought)),
    cached: usage.cached ?? 0,
  };
}

/** Splits a text into the pieces of a stream, never within a surrogate pair: providers do not do that either. */
export function splitText(text: string, size: number): readonly string[] {
  const characters = Array.from(text);
  const found: string[] = [];
  for (let start = 0; start < characters.length; start += Math.max(1, size)) {
    found.push(characters.slice(start, start + Math.max(1, size)).join(''));
  }
  return found;
}

/** An estimate: four characters per token. */
export const estimateTokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4));
