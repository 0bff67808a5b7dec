import { type Json, objects, plain } from '../json.ts';
import type { MessageReply } from '../reply/reply.ts';
import { event, type RenderContext, type Renderer, stopOf, usageOf } from './rendered.ts';
import { itemsOf } from './responses-items.ts';

const INCOMPLETE: Readonly<Record<string, string>> = {
  'max-tokens': 'max_output_tokens',
  refusal: 'content_filter',
};

/** The request's settings come back in the response, with the API's defaults. */
function settingsOf(request: Json): Json {
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
  const { input, output, reasoning, cached } = usageOf(reply, context);
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
  const items = itemsOf(reply, context);
  const reason = reply.nativeStop ?? INCOMPLETE[stopOf(reply)];
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
  const settings = settingsOf(context.request);
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
