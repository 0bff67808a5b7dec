import { type Json, plain } from '../json.ts';
import type { MessageReply, ReplyBlock, ReplyStop } from '../reply.ts';
import { demandsSignature, parseModel } from '../rules/google-generatecontent/context.ts';
import {
  countUsage,
  event,
  inputValue,
  isCall,
  type RenderContext,
  type Renderer,
  readExtra,
  readStop,
  splitText,
} from './renderer.ts';

const STOPS: Readonly<Record<ReplyStop, string>> = {
  end: 'STOP',
  'tool-use': 'STOP',
  'max-tokens': 'MAX_TOKENS',
  'stop-sequence': 'STOP',
  refusal: 'SAFETY',
  pause: 'STOP',
};

/** The part that a signing model signs: the first call, or the last text when there is no call. */
function signedIndex(blocks: readonly ReplyBlock[], context: RenderContext): number {
  if (!demandsSignature(parseModel(context.model))) return -1;
  const call = blocks.findIndex(isCall);
  return call === -1 ? blocks.findLastIndex(({ type }) => type === 'text') : call;
}

/** A part, and the parts that a stream sends instead: text in pieces, everything else whole. */
interface Part {
  readonly part: Json;
  readonly streamed: readonly Json[];
}

function renderPart(
  block: ReplyBlock,
  signs: boolean,
  { extra = {}, pieces: size = 16 }: MessageReply,
  context: RenderContext,
): Part {
  const { mint, model } = context;
  const more = { ...extra.block, ...readExtra(block) };
  const signature = (text?: string) => ({
    thoughtSignature: mint.seal({ model, ...(text !== undefined && { text }) }),
  });
  const whole = (part: Json): Part => ({ part, streamed: [part] });
  // Only plain text is split. A signature is sent with the last piece.
  const cut = (text: string, fields: Json, proof: Json = {}): Part => {
    const part = { text, ...fields, ...proof, ...more };
    const parts = splitText(text, size);
    if (Object.keys(more).length > 0 || parts.length < 2) return whole(part);
    return {
      part,
      streamed: parts.map((piece, index) => ({ text: piece, ...fields, ...(index === parts.length - 1 && proof) })),
    };
  };
  switch (block.type) {
    case 'text':
      return cut(block.text, {}, (block.signed ?? signs) ? signature() : {});
    case 'refusal':
      return cut(block.text, {});
    case 'thinking':
      return cut(
        block.text,
        { thought: true },
        block.signature === undefined ? {} : { thoughtSignature: block.signature },
      );
    case 'redacted-thinking':
      return whole({ text: '', thought: true, ...signature(), ...more });
    case 'tool-use':
      return whole({
        functionCall: { id: block.id ?? mint.id('', 8), name: block.name, args: inputValue(block), ...extra.part },
        ...((block.signed ?? signs) && signature(block.name)),
        ...more,
      });
    case 'image':
      return whole({ inlineData: { mimeType: block.mediaType ?? 'image/png', data: block.data }, ...more });
    case 'native':
      return whole(block.value);
  }
}

function usageFields(reply: MessageReply, context: RenderContext): Json {
  const { input, output, reasoning, cached } = countUsage(reply, context);
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    ...reply.extra?.usage,
  };
}

export const renderGoogleGenerateContent: Renderer = (reply, context) => {
  const { extra = {} } = reply;
  const candidates = [reply.blocks, ...(reply.alternatives ?? [])].map((blocks, index) => {
    const signed = signedIndex(blocks, context);
    const parts = blocks.map((block, at) => renderPart(block, at === signed, reply, context));
    return { index, parts, finishReason: reply.nativeStop ?? STOPS[readStop({ ...reply, blocks })] };
  });
  const content = (parts: readonly Json[]): Json => ({
    // A reply without blocks has no parts at all (recorded: SAFETY, MAX_TOKENS).
    ...(parts.length > 0 && { parts }),
    role: 'model',
    ...extra.message,
  });
  const envelope = (list: readonly Json[], more: Json): Json => ({
    candidates: list,
    usageMetadata: usageFields(reply, context),
    modelVersion: reply.model ?? context.model,
    responseId: id,
    ...extra.envelope,
    ...more,
  });
  const id = reply.id ?? context.mint.id('', 22);
  const whole = candidates.map(({ index, parts, finishReason }) => ({
    content: content(parts.map(({ part }) => part)),
    finishReason,
    index,
    ...extra.choice,
  }));
  const events = candidates.flatMap(({ index, parts, finishReason }) => {
    const streamed = parts.flatMap((part) => part.streamed);
    const steps = streamed.length === 0 ? [[]] : streamed.map((part) => [part]);
    return steps.map((step, at) => {
      const last = at === steps.length - 1 && { finishReason };
      const candidate = { content: content(step), ...last, index, ...extra.choice };
      return event(undefined, envelope([candidate], extra.event ?? {}));
    });
  });
  return { body: envelope(whole, {}), events, message: plain(whole[0]?.content ?? {}) as Json };
};
