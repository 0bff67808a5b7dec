import { type Json, plain, stringify } from '../json.ts';
import type { MessageReply, ReplyBlock, ReplyStop } from '../reply.ts';
import { prefixDigest } from '../rules/anthropic-messages/prefix.ts';
import { isClaude, toMessagesBody } from '../rules/bedrock-converse/claude.ts';
import {
  countUsage,
  inputText,
  inputValue,
  type RenderContext,
  type Renderer,
  readExtra,
  readStop,
  type SseEvent,
  splitText,
} from './renderer.ts';

const STOPS: Readonly<Record<ReplyStop, string>> = {
  end: 'end_turn',
  'tool-use': 'tool_use',
  'max-tokens': 'max_tokens',
  'stop-sequence': 'stop_sequence',
  refusal: 'content_filtered',
  pause: 'end_turn',
};

/** A signature is bound to what the model sees, so the prefix is that of the body which Bedrock makes for it. */
function nativeBlock(block: ReplyBlock, context: RenderContext, before: readonly Json[]): Json {
  const { mint, model, request } = context;
  const prefix = (): string => {
    const messages = Array.isArray(request.messages) ? request.messages : [];
    const body = toMessagesBody({ ...request, messages: [...messages, { role: 'assistant', content: plain(before) }] });
    return prefixDigest(body, messages.length, before.length);
  };
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { text: block.text };
    case 'thinking': {
      const signature =
        block.signature ?? (isClaude(model) ? mint.seal({ model, text: block.text, prefix: prefix() }) : undefined);
      return {
        reasoningContent: { reasoningText: { text: block.text, ...(signature !== undefined && { signature }) } },
      };
    }
    case 'redacted-thinking': {
      const sealed = mint.seal({ model, prefix: prefix() });
      return { reasoningContent: { redactedContent: Buffer.from(sealed).toString('base64') } };
    }
    case 'tool-use':
      return {
        toolUse: { toolUseId: block.id ?? mint.id('tooluse_', 22), name: block.name, input: inputValue(block) },
      };
    case 'image':
      return { image: { format: (block.mediaType ?? 'image/png').slice(6), source: { bytes: block.data } } };
    case 'native':
      return block.value;
  }
}

function renderContent({ blocks, extra }: MessageReply, context: RenderContext): readonly Json[] {
  const content: Json[] = [];
  for (const block of blocks) {
    const native = nativeBlock(block, context, content);
    content.push(block.type === 'native' ? native : { ...native, ...extra?.block, ...readExtra(block) });
  }
  return content;
}

/** Events are padded, so that their length does not tell what they say. */
const PADDING = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

function padded(name: string, data: Json): SseEvent {
  const text = stringify(data);
  return { event: name, data: `${text.slice(0, -1)},"p":"${PADDING.slice(0, 1 + (text.length % PADDING.length))}"}` };
}

/** The start of a block, which only calls and unknown ones have, and its deltas. */
function streamed(block: ReplyBlock, native: Json, size: number): { start?: Json; deltas: readonly Json[] } {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { deltas: splitText(block.text, size).map((text) => ({ text })) };
    case 'thinking': {
      const { reasoningText: shown } = native.reasoningContent as { readonly reasoningText: Json };
      const thoughts = splitText(block.text, size).map((text) => ({ reasoningContent: { text } }));
      const { signature } = shown;
      return { deltas: signature === undefined ? thoughts : [...thoughts, { reasoningContent: { signature } }] };
    }
    case 'redacted-thinking':
      return { deltas: [native] };
    case 'tool-use': {
      const { input: _, ...start } = native.toolUse as Json;
      const pieces = splitText(inputText(block), size);
      return { start: { toolUse: start }, deltas: pieces.map((input) => ({ toolUse: { input } })) };
    }
    default:
      return { start: native, deltas: [] };
  }
}

export const renderBedrockConverse: Renderer = (reply, context) => {
  const { extra = {}, blocks, pieces: size = 16 } = reply;
  const content = renderContent(reply, context);
  const { input, output, cached } = countUsage(reply, context);
  const usage = {
    inputTokens: input - cached,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: 0,
    ...extra.usage,
  };
  const stopReason = reply.nativeStop ?? STOPS[readStop(reply)];
  const metrics = { latencyMs: 420 };
  const message = { role: 'assistant', content, ...extra.message };
  const say = (name: string, data: Json): SseEvent => padded(name, { ...data, ...extra.event });
  const events = [
    say('messageStart', { role: 'assistant', ...extra.message }),
    ...content.flatMap((native, contentBlockIndex) => {
      const { start, deltas } = streamed(blocks[contentBlockIndex] ?? { type: 'native', value: native }, native, size);
      return [
        ...(start ? [say('contentBlockStart', { contentBlockIndex, start })] : []),
        ...deltas.map((delta) => say('contentBlockDelta', { contentBlockIndex, delta: { ...delta, ...extra.delta } })),
        say('contentBlockStop', { contentBlockIndex }),
      ];
    }),
    say('messageStop', { stopReason }),
    say('metadata', { metrics, usage, ...extra.envelope }),
  ];
  return {
    body: { metrics, output: { message }, stopReason, usage, ...extra.envelope },
    events,
    message: plain(message) as Json,
  };
};
