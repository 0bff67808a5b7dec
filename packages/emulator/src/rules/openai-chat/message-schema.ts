import { byType, closed, list, type Shape, tagged } from '../openai/shape.ts';
import { text } from '../openai/values.ts';

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

/** By role. `annotations` stands in replies only; whether it may come back is not known. */
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

export const messagesShape: Shape = list(tagged((message) => text(message.role), messageShapes));
