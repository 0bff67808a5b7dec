import { isObject, type Json, objects, plain } from '../json.ts';
import type { MessageReply, ReplyBlock, ReplyStop } from '../reply.ts';
import { prefixDigest } from '../rules/anthropic-messages/prefix.ts';
import { block as knownBlock } from '../rules/anthropic-messages/schema-blocks.ts';
import {
  countUsage,
  event,
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
  refusal: 'refusal',
  pause: 'pause_turn',
};

/** The thinking text; empty with `display: "omitted"`, where only the signature is sent. */
const shown = ({ thinking }: Json, text: string): string =>
  isObject(thinking) && thinking.display === 'omitted' ? '' : text;

function nativeBlock(block: ReplyBlock, context: RenderContext, prefix: () => string): Json {
  const { mint, request, model } = context;
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: block.text };
    case 'thinking': {
      const thinking = shown(request, block.text);
      const signature = block.signature ?? mint.seal({ model, text: thinking, prefix: prefix() });
      return { type: 'thinking', thinking, signature };
    }
    case 'redacted-thinking':
      return { type: 'redacted_thinking', data: mint.seal({ model, prefix: prefix() }) };
    case 'tool-use':
      return { type: 'tool_use', id: block.id ?? mint.id('toolu_01', 22), name: block.name, input: inputValue(block) };
    case 'image':
      // This API has no block for generated images.
      return { type: 'text', text: '(an image)' };
    case 'native':
      return block.value;
  }
}

const isKnown = (native: Json): boolean => !knownBlock(native, '').some(({ tag }) => tag !== undefined);

/** Renders the blocks in order: a signature is bound to everything before it, including the reply's own blocks. */
function renderContent({ blocks, extra }: MessageReply, context: RenderContext): readonly Json[] {
  const messages = Array.isArray(context.request.messages) ? context.request.messages : [];
  const content: Json[] = [];
  const bound: unknown[] = [];
  for (const block of blocks) {
    const prefix = () => {
      const body = { ...context.request, messages: [...messages, { role: 'assistant', content: bound }] };
      return prefixDigest(body, messages.length, bound.length);
    };
    const native = nativeBlock(block, context, prefix);
    const full = block.type === 'native' ? native : { ...native, ...extra?.block, ...readExtra(block) };
    content.push(full);
    // A signature must not be bound to fields that the schema refuses when they are sent back.
    if (!context.refuseOwnFields) bound.push(plain(full));
    else if (isKnown(native)) bound.push(plain(native));
  }
  return content;
}

/** The block at its start, and the deltas that complete it. */
function streamed(block: ReplyBlock, native: Json, size: number): { start: Json; deltas: readonly Json[] } {
  const deltas = (type: string, field: string, text: string) =>
    splitText(text, size).map((piece) => ({ type, [field]: piece }));
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { start: { ...native, text: '' }, deltas: deltas('text_delta', 'text', block.text) };
    case 'thinking': {
      const signed = { type: 'signature_delta', signature: native.signature };
      const thought = deltas('thinking_delta', 'thinking', `${native.thinking}`);
      return { start: { ...native, thinking: '', signature: '' }, deltas: [...thought, signed] };
    }
    case 'tool-use': {
      const text = ['', ...splitText(inputText(block), size)];
      const parts = text.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
      return { start: { ...native, input: {} }, deltas: parts };
    }
    default:
      return { start: native, deltas: [] };
  }
}

export const renderAnthropicMessages: Renderer = (reply, context) => {
  const { extra = {}, blocks, pieces: size = 16 } = reply;
  const content = renderContent(reply, context);
  const { input, output, cached } = countUsage(reply, context);
  const counts = {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
    ...extra.usage,
  };
  // The end of a stream repeats only the counts.
  const usage = {
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    service_tier: 'standard',
    ...counts,
  };
  const stop = { stop_reason: reply.nativeStop ?? STOPS[readStop(reply)], stop_sequence: null };
  const head = {
    id: reply.id ?? context.mint.id('msg_01', 22),
    type: 'message',
    role: 'assistant',
    model: reply.model ?? context.model,
  };
  const rest = { ...extra.message, ...extra.envelope };
  const say = (type: string, data: Json): SseEvent => event(type, { type, ...data, ...extra.event });
  const start = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const events = [
    say('message_start', { message: { ...start, ...rest } }),
    say('ping', {}),
    ...content.flatMap((native, index) => {
      const block = streamed(blocks[index] ?? { type: 'native', value: native }, native, size);
      return [
        say('content_block_start', { index, content_block: block.start }),
        ...block.deltas.map((delta) => say('content_block_delta', { index, delta: { ...delta, ...extra.delta } })),
        say('content_block_stop', { index }),
      ];
    }),
    say('message_delta', { delta: { ...stop, ...extra.delta }, usage: counts }),
    say('message_stop', {}),
  ];
  return {
    body: { ...head, content, ...stop, usage, ...rest },
    events,
    message: { ...extra.message, content: objects(plain(content)) },
  };
};
