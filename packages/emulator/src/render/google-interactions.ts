import { isObject, type Json, objects, plain } from '../json.ts';
import type { MessageReply, ReplyBlock, ReplyStop } from '../reply.ts';
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

const STATUSES: Readonly<Record<ReplyStop, string>> = {
  end: 'completed',
  'tool-use': 'requires_action',
  'max-tokens': 'incomplete',
  'stop-sequence': 'completed',
  refusal: 'incomplete',
  pause: 'requires_continuation',
};

/** A step, and what a stream sends instead: how it starts, and its deltas. */
interface Step {
  readonly step: Json;
  readonly start: Json;
  readonly deltas: readonly Json[];
}

const whole = (step: Json): Step => ({ step, start: step, deltas: [] });

function renderStep(block: ReplyBlock, { extra = {}, pieces = 16 }: MessageReply, context: RenderContext): Step {
  const { mint, model } = context;
  const more = { ...extra.block, ...readExtra(block) };
  switch (block.type) {
    case 'text':
    case 'refusal': {
      const content = { text: block.text, ...extra.part, type: 'text' };
      const deltas = splitText(block.text, pieces).map((text, at) => ({
        text,
        ...(at === 0 && extra.part),
        ...extra.delta,
        type: 'text',
      }));
      const start = { ...more, type: 'model_output' };
      return { step: { content: [content], ...start }, start, deltas };
    }
    case 'thinking': {
      const signature = block.signature ?? mint.seal({ model });
      const step = { signature, summary: [{ text: block.text, type: 'text' }], ...more, type: 'thought' };
      const summaries = splitText(block.text, pieces).map((text) => ({
        content: { text, type: 'text' },
        type: 'thought_summary',
      }));
      return {
        step,
        start: { ...more, type: 'thought' },
        deltas: [...summaries, { signature, type: 'thought_signature' }],
      };
    }
    case 'redacted-thinking': {
      const signature = mint.seal({ model });
      const start = { ...more, type: 'thought' };
      return { step: { signature, ...start }, start, deltas: [{ signature, type: 'thought_signature' }] };
    }
    case 'tool-use': {
      const step = { id: block.id ?? mint.id('', 8), type: 'function_call', name: block.name, ...more };
      const deltas = splitText(inputText(block), pieces).map((text) => ({ arguments: text, type: 'arguments_delta' }));
      return { step: { ...step, arguments: inputValue(block) }, start: { ...step, arguments: {} }, deltas };
    }
    case 'image': {
      const content = { data: block.data, mime_type: block.mediaType ?? 'image/png', ...extra.part, type: 'image' };
      const start = { ...more, type: 'model_output' };
      return { step: { content: [content], ...start }, start, deltas: [content] };
    }
    case 'native':
      return whole(block.value);
  }
}

/** The input has the cached tokens in it, the output does not have the thoughts. */
function usageFields(reply: MessageReply, context: RenderContext): Json {
  const { input, output, reasoning, cached } = countUsage(reply, context);
  return {
    total_tokens: input + output,
    total_input_tokens: input,
    input_tokens_by_modality: [{ modality: 'text', tokens: input }],
    total_cached_tokens: cached,
    total_output_tokens: output - reasoning,
    total_tool_use_tokens: 0,
    total_thought_tokens: reasoning,
    ...reply.extra?.usage,
  };
}

const time = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

/** What is not stored has no id: no member in a body, an empty text in a stream. */
export const renderGoogleInteractions: Renderer = (reply, context) => {
  const { extra = {} } = reply;
  const { request, created, mint } = context;
  const steps = reply.blocks.map((block) => renderStep(block, reply, context));
  const stop = readStop(reply);
  const status = reply.nativeStop ?? STATUSES[stop];
  const id = reply.id ?? `v1_${mint.id('', 64)}`;
  const named = { object: 'interaction', ...(isObject(request) && nameFields(request, reply, context)) };
  const ended: Json = {
    status,
    usage: usageFields(reply, context),
    created: time(created),
    updated: time(created),
    service_tier: request.service_tier ?? 'standard',
    ...(status === 'requires_continuation' && { continuation_token: mint.seal({ model: context.model }) }),
  };
  const isKept = request.store !== false;
  const body: Json = {
    ...(isKept && { id }),
    ...ended,
    steps: steps.map(({ step }) => step),
    ...named,
    ...extra.envelope,
  };
  const streamedId = isKept ? id : '';
  const told: readonly (readonly [type: string, data: Json])[] = [
    ['interaction.created', { interaction: { id: streamedId, status: 'in_progress', ...named } }],
    ['interaction.status_update', { interaction_id: streamedId, status: 'in_progress' }],
    ...steps.flatMap(({ start, deltas }, index): readonly (readonly [string, Json])[] => [
      ['step.start', { index, step: start }],
      ...deltas.map((delta): readonly [string, Json] => ['step.delta', { index, delta }]),
      ['step.stop', { index }],
    ]),
    ['interaction.completed', { interaction: { id: streamedId, ...ended, ...named, ...extra.envelope } }],
  ];
  // A stream that can be resumed numbers its events.
  const numbered = request.background === true;
  const events: readonly SseEvent[] = [
    ...told.map(([type, data], at) =>
      event(type, { ...data, event_type: type, ...(numbered && { event_id: `${id}-${at}` }), ...extra.event }),
    ),
    { event: 'done', data: '[DONE]' },
  ];
  return { body, events, message: { steps: objects(plain(body.steps)) } };
};

function nameFields(request: Json, reply: MessageReply, { model }: RenderContext): Json {
  return typeof request.agent === 'string' ? { agent: request.agent } : { model: reply.model ?? model };
}
