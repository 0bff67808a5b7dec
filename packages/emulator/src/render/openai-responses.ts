import { isObject, type Json, objects, plain } from '../json.ts';
import type { ImageReplyBlock, MessageReply, RefusalReplyBlock, ReplyBlock, TextReplyBlock } from '../reply.ts';
import {
  countUsage,
  event,
  inputText,
  type RenderContext,
  type Renderer,
  readExtra,
  readStop,
  splitText,
} from './renderer.ts';

const INCOMPLETE: Readonly<Record<string, string>> = {
  'max-tokens': 'max_output_tokens',
  refusal: 'content_filter',
};

/** The response repeats the settings of the request, with the API's defaults. */
function echoSettings(request: Json): Json {
  const given = (name: string, otherwise: unknown) => request[name] ?? otherwise;
  return {
    background: false,
    instructions: given('instructions', null),
    max_output_tokens: given('max_output_tokens', null),
    max_tool_calls: given('max_tool_calls', null),
    metadata: given('metadata', {}),
    parallel_tool_calls: given('parallel_tool_calls', true),
    previous_response_id: given('previous_response_id', null),
    prompt_cache_key: given('prompt_cache_key', null),
    reasoning: given('reasoning', { effort: null, summary: null }),
    safety_identifier: given('safety_identifier', null),
    service_tier: given('service_tier', 'default'),
    store: given('store', true),
    temperature: given('temperature', 1),
    text: given('text', { format: { type: 'text' }, verbosity: 'medium' }),
    tool_choice: given('tool_choice', 'auto'),
    tools: given('tools', []),
    top_logprobs: given('top_logprobs', 0),
    top_p: given('top_p', 1),
    truncation: given('truncation', 'disabled'),
    user: given('user', null),
  };
}

function usageFields(reply: MessageReply, context: RenderContext): Json {
  const { input, output, reasoning, cached } = countUsage(reply, context);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
    ...reply.extra?.usage,
  };
}

export const renderOpenAIResponses: Renderer = (reply, context) => {
  const { extra = {} } = reply;
  const items = renderItems(reply, context);
  const reason = reply.nativeStop ?? INCOMPLETE[readStop(reply)];
  const status = reason === undefined ? 'completed' : 'incomplete';
  const response = (state: string, more: Json): Json => ({
    id,
    object: 'response',
    created_at: context.created,
    status: state,
    error: null,
    incomplete_details: null,
    model: reply.model ?? context.model,
    ...settings,
    output: [],
    usage: null,
    ...more,
    ...extra.envelope,
  });
  const id = reply.id ?? context.mint.id('resp_', 50);
  const settings = echoSettings(context.request);
  const body = response(status, {
    ...(reason !== undefined && { incomplete_details: { reason } }),
    output: items.map(({ item }) => item),
    usage: usageFields(reply, context),
  });
  const started = response('in_progress', {});
  const steps = [
    { type: 'response.created', data: { response: started } },
    { type: 'response.in_progress', data: { response: started } },
    ...items.flatMap(({ added, done, events }, output_index) => [
      { type: 'response.output_item.added', data: { output_index, item: added } },
      ...events.map(({ type, data }) => ({ type, data: { output_index, ...data } })),
      { type: 'response.output_item.done', data: { output_index, item: done } },
    ]),
    { type: `response.${status}`, data: { response: body } },
  ];
  return {
    body,
    events: steps.map(({ type, data }, sequence_number) =>
      event(type, { type, sequence_number, ...data, ...extra.event }),
    ),
    message: { output: objects(plain(body.output)) },
  };
};

/** An event without its sequence number. */
interface ItemEvent {
  readonly type: string;
  readonly data: Json;
}

interface Item {
  /** The item in the finished response. */
  readonly item: Json;
  /** The item in `output_item.added` and in `output_item.done`. */
  readonly added: Json;
  readonly done: Json;
  /** The events between the two. */
  readonly events: readonly ItemEvent[];
}

const say = (type: string, data: Json): ItemEvent => ({ type: `response.${type}`, data });

const wantsCiphertext = ({ include }: Json): boolean =>
  Array.isArray(include) && include.includes('reasoning.encrypted_content');

/** Each place that shows the item has another ciphertext, and all of them are accepted later (docs/wire-rules.md, "Surprises"). */
function reasoning(
  text: string,
  given: string | undefined,
  reply: MessageReply,
  context: RenderContext,
  more: Json,
): Item {
  const { mint, model, request } = context;
  const { extra = {}, pieces: size = 16 } = reply;
  const base = { id: mint.id('rs_', 50), type: 'reasoning' };
  const secret = (): Json =>
    wantsCiphertext(request) || given !== undefined ? { encrypted_content: given ?? mint.seal({ model }) } : {};
  const part = { type: 'summary_text', text, ...extra.part };
  const summary = text === '' ? [] : [part];
  const at = { item_id: base.id, summary_index: 0 };
  const full = (): Json => ({ ...base, summary, ...secret(), ...more });
  return {
    item: full(),
    added: { ...base, summary: [], ...secret(), ...more },
    done: full(),
    events:
      text === ''
        ? []
        : [
            say('reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }),
            ...splitText(text, size).map((delta) => say('reasoning_summary_text.delta', { ...at, delta })),
            say('reasoning_summary_text.done', { ...at, text }),
            say('reasoning_summary_part.done', { ...at, part }),
          ],
  };
}

function message(
  blocks: readonly (TextReplyBlock | RefusalReplyBlock)[],
  reply: MessageReply,
  context: RenderContext,
): Item {
  const { extra = {}, pieces: size = 16 } = reply;
  const id = context.mint.id('msg_', 50);
  const parts = blocks.map((block): Json => {
    const more = { ...extra.part };
    if (block.type === 'refusal') return { type: 'refusal', refusal: block.text, ...more };
    return { type: 'output_text', annotations: [], logprobs: [], text: block.text, ...more };
  });
  const own = Object.assign({}, ...blocks.map(readExtra)) as Json;
  const more = { role: 'assistant', ...extra.message, ...extra.block, ...own };
  const item = { id, type: 'message', status: 'completed', content: parts, ...more };
  return {
    item,
    done: item,
    added: { id, type: 'message', status: 'in_progress', content: [], ...more },
    events: blocks.flatMap((block, content_index) => {
      const at = { item_id: id, content_index };
      const [name, field] = block.type === 'refusal' ? ['refusal', 'refusal'] : ['output_text', 'text'];
      const logprobs = block.type === 'refusal' ? {} : { logprobs: [] };
      const part = parts[content_index] ?? {};
      return [
        say('content_part.added', { ...at, part: { ...part, [field]: '' } }),
        ...splitText(block.text, size).map((delta) => say(`${name}.delta`, { ...at, delta, ...logprobs })),
        say(`${name}.done`, { ...at, [field]: block.text, ...logprobs }),
        say('content_part.done', { ...at, part }),
      ];
    }),
  };
}

function call(block: Extract<ReplyBlock, { type: 'tool-use' }>, reply: MessageReply, { mint }: RenderContext): Item {
  const id = mint.id('fc_', 50);
  const text = inputText(block);
  const rest = {
    call_id: block.id ?? mint.id('call_', 24),
    name: block.name,
    ...reply.extra?.block,
    ...readExtra(block),
  };
  const item = { id, type: 'function_call', status: 'completed', arguments: text, ...rest };
  return {
    item,
    done: item,
    added: { id, type: 'function_call', status: 'in_progress', arguments: '', ...rest },
    events: [
      ...splitText(text, reply.pieces ?? 16).map((delta) =>
        say('function_call_arguments.delta', { item_id: id, delta }),
      ),
      say('function_call_arguments.done', { item_id: id, arguments: text }),
    ],
  };
}

function image(block: ImageReplyBlock, { mint }: RenderContext, more: Json): Item {
  const base = { id: mint.id('ig_', 50), type: 'image_generation_call' };
  const format = (block.mediaType ?? 'image/png').slice('image/'.length);
  const item = { ...base, status: 'completed', output_format: format, result: block.data, ...more };
  return {
    item,
    done: item,
    added: { ...base, status: 'in_progress', ...more },
    events: ['in_progress', 'generating', 'completed'].map((word) =>
      say(`image_generation_call.${word}`, { item_id: base.id }),
    ),
  };
}

const isText = (block: ReplyBlock | undefined): block is TextReplyBlock | RefusalReplyBlock =>
  block?.type === 'text' || block?.type === 'refusal';

/** Renders the output items; consecutive texts are parts of one message item. */
function renderItems(reply: MessageReply, context: RenderContext): readonly Item[] {
  const items: Item[] = [];
  let texts: (TextReplyBlock | RefusalReplyBlock)[] = [];
  for (const [index, block] of reply.blocks.entries()) {
    const more = { ...reply.extra?.block, ...readExtra(block) };
    if (isText(block)) {
      texts.push(block);
      if (isText(reply.blocks[index + 1])) continue;
      items.push(message(texts, reply, context));
      texts = [];
    } else if (block.type === 'thinking') items.push(reasoning(block.text, block.signature, reply, context, more));
    else if (block.type === 'redacted-thinking') items.push(reasoning('', undefined, reply, context, more));
    else if (block.type === 'tool-use') items.push(call(block, reply, context));
    else if (block.type === 'image') items.push(image(block, context, more));
    else if (isObject(block.value))
      items.push({ item: block.value, added: block.value, done: block.value, events: [] });
  }
  return items;
}
