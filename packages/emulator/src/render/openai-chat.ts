import { isObject, type Json, plain } from '../json.ts';
import type { MessageReply, ReplyBlock, ReplyStop } from '../reply.ts';
import {
  countUsage,
  event,
  inputText,
  isCall,
  type RenderContext,
  type Renderer,
  readExtra,
  readStop,
  type SseEvent,
  splitText,
} from './renderer.ts';

const STOPS: Readonly<Record<ReplyStop, string>> = {
  end: 'stop',
  'tool-use': 'tool_calls',
  'max-tokens': 'length',
  'stop-sequence': 'stop',
  refusal: 'stop',
  pause: 'stop',
};

/** One message, and the deltas that stream it. */
interface Message {
  readonly message: Json;
  readonly deltas: readonly Json[];
}

const texts = (blocks: readonly ReplyBlock[], wanted: 'text' | 'refusal'): string | null => {
  const found = blocks.flatMap((block) => (block.type === wanted ? [block.text] : []));
  return found.length === 0 ? null : found.join('');
};

/** The message fields for thinking. OpenAI has none, and compatible providers use different ones. */
function thinking(blocks: readonly ReplyBlock[], { mint, model }: RenderContext): Record<string, unknown> {
  const fields: Record<string, string> = {};
  for (const block of blocks) {
    if (block.type !== 'thinking') continue;
    const field = block.field ?? 'reasoning_content';
    fields[field] = (fields[field] ?? '') + block.text;
  }
  const redacted = blocks.filter(({ type }) => type === 'redacted-thinking');
  const details = redacted.map((_, index) => ({ type: 'reasoning.encrypted', data: mint.seal({ model }), index }));
  return { ...fields, ...(details.length > 0 && { reasoning_details: details }) };
}

function renderMessage(
  blocks: readonly ReplyBlock[],
  { extra = {}, pieces: size = 16 }: MessageReply,
  context: RenderContext,
): Message {
  const content = texts(blocks, 'text');
  const refusal = texts(blocks, 'refusal');
  const calls = blocks.filter(isCall).map((block) => ({
    id: block.id ?? context.mint.id('call_', 24),
    type: 'function',
    function: { name: block.name, arguments: inputText(block), ...extra.part },
    ...extra.block,
    ...readExtra(block),
  }));
  const thought = thinking(blocks, context);
  // Only calls are objects of their own in a chat message: extra fields of other blocks become fields of the message.
  const more = blocks.flatMap((block) => {
    if (block.type === 'native') return [block.value];
    return isCall(block) ? [] : [readExtra(block)];
  });
  const images = blocks.flatMap((block) =>
    block.type === 'image'
      ? [{ type: 'image_url', image_url: { url: `data:${block.mediaType ?? 'image/png'};base64,${block.data}` } }]
      : [],
  );
  const rest = Object.assign(images.length > 0 ? { images } : {}, extra.message, ...more) as Json;
  const split = (field: string, text: string) => splitText(text, size).map((piece) => ({ [field]: piece }));
  const deltas = [
    { role: 'assistant', content: content === null ? null : '', refusal: null, ...rest },
    ...Object.entries(thought).flatMap(([field, value]) =>
      typeof value === 'string' ? split(field, value) : [{ [field]: value }],
    ),
    ...split('content', content ?? ''),
    ...split('refusal', refusal ?? ''),
    ...calls.flatMap((call, index) => [
      { tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }] },
      ...splitText(call.function.arguments, size).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ];
  const message = {
    role: 'assistant',
    content,
    ...thought,
    ...(calls.length > 0 && { tool_calls: calls }),
    refusal,
    annotations: [],
    ...rest,
  };
  return { message, deltas };
}

function usageFields(reply: MessageReply, context: RenderContext): Json {
  const { input, output, reasoning, cached } = countUsage(reply, context);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...reply.extra?.usage,
  };
}

export const renderOpenAIChat: Renderer = (reply, context) => {
  const { extra = {} } = reply;
  const { stream_options: options } = context.request;
  const withUsage = isObject(options) && options.include_usage === true;
  const head = {
    id: reply.id ?? context.mint.id('chatcmpl-', 29),
    created: context.created,
    model: reply.model ?? context.model,
    service_tier: 'default',
    system_fingerprint: 'fp_emulator',
    ...extra.envelope,
  };
  const usage = usageFields(reply, context);
  const choices = [reply.blocks, ...(reply.alternatives ?? [])].map((blocks, index) => ({
    index,
    ...renderMessage(blocks, reply, context),
    finish_reason: reply.nativeStop ?? STOPS[readStop({ ...reply, blocks })],
  }));
  const chunk = (list: readonly Json[], counts: Json | null): SseEvent =>
    event(undefined, {
      ...head,
      object: 'chat.completion.chunk',
      choices: list,
      ...(withUsage && { usage: counts }),
      ...extra.event,
    });
  const events = choices.flatMap(({ index, deltas, finish_reason }) => {
    const one = (delta: Json, finish: string | null) =>
      chunk(
        [{ index, delta: { ...delta, ...extra.delta }, logprobs: null, finish_reason: finish, ...extra.choice }],
        null,
      );
    return [...deltas.map((delta) => one(delta, null)), one({}, finish_reason)];
  });
  return {
    body: {
      ...head,
      object: 'chat.completion',
      choices: choices.map(({ index, message, finish_reason }) => ({
        index,
        message,
        logprobs: null,
        finish_reason,
        ...extra.choice,
      })),
      usage,
    },
    events: [...events, ...(withUsage ? [chunk([], usage)] : []), { data: '[DONE]' }],
    message: plain(choices[0]?.message) as Json,
  };
};
