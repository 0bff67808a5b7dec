/** The closed schema of Chat Completions requests. */
import { asText } from '../../json.ts';
import { byType, closed, list, type Shape, tagged } from '../openai/shape.ts';

export const toolShapes: Readonly<Record<string, Shape>> = {
  function: closed('type! function!', { function: closed('name! description parameters strict') }),
  custom: closed('type! custom!', {
    custom: closed('name! description format', {
      format: byType({
        text: closed('type'),
        grammar: closed('type grammar!', { grammar: closed('definition! syntax!') }),
      }),
    }),
  }),
};

const location = closed('type! approximate!', { approximate: closed('city country region timezone') });

/** The closed top level, and the objects below it other than the messages (SDK `ChatCompletionCreateParams`). */
export const requestShape: Shape = closed(
  `model messages! audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens
   metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
   prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream
   stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options`,
  {
    audio: closed('format! voice!'),
    functions: list(closed('name! description parameters')),
    moderation: closed('model! policy'),
    prediction: closed('type! content!'),
    prompt_cache_options: closed('mode ttl'),
    response_format: byType({
      text: closed('type'),
      json_object: closed('type'),
      json_schema: closed('type json_schema!', { json_schema: closed('name! description schema strict') }),
    }),
    stream_options: closed('include_obfuscation include_usage'),
    tool_choice: byType({
      function: closed('type function!', { function: closed('name!') }),
      custom: closed('type custom!', { custom: closed('name!') }),
      allowed_tools: closed('type allowed_tools!', { allowed_tools: closed('mode! tools!') }),
    }),
    tools: list(byType(toolShapes)),
    web_search_options: closed('search_context_size user_location', { user_location: location }),
  },
);

const breakpoint = { prompt_cache_breakpoint: closed('mode!') };

export const partShapes: Readonly<Record<string, Shape>> = {
  text: closed('type text! prompt_cache_breakpoint', breakpoint),
  image_url: closed('type image_url! prompt_cache_breakpoint', { ...breakpoint, image_url: closed('url! detail') }),
  input_audio: closed('type input_audio! prompt_cache_breakpoint', {
    ...breakpoint,
    input_audio: closed('data! format!'),
  }),
  file: closed('type file! prompt_cache_breakpoint', { ...breakpoint, file: closed('file_data file_id filename') }),
  refusal: closed('type refusal!'),
};

const content = { content: list(byType(partShapes)) };

const toolCall = byType({
  function: closed('id! type function!', { function: closed('name! arguments!') }),
  custom: closed('id! type custom!', { custom: closed('name! input!') }),
});

/** By role. `annotations` is in replies only; it is not known whether it may be sent back. */
export const messageShapes: Readonly<Record<string, Shape>> = {
  developer: closed('role content name', content),
  system: closed('role content name', content),
  user: closed('role content name', content),
  assistant: closed('role content name refusal audio function_call tool_calls annotations^', {
    ...content,
    audio: closed('id!'),
    function_call: closed('name! arguments!'),
    tool_calls: list(toolCall),
  }),
  tool: closed('role content tool_call_id!', content),
  function: closed('role content name!'),
};

export const messagesShape: Shape = list(tagged((message) => asText(message.role), messageShapes));
