import type { NativeTool } from '../../dialects/index.ts';
import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import type { MediaBlock, Message } from '../../message/index.ts';
import { parseModel } from '../../providers/index.ts';
import type { ModelChoice } from '../../run/index.ts';

/** How a dialect is asked for an image. */
export interface ImageWay {
  readonly body?: JsonObject;
  readonly tools?: readonly NativeTool[];
}

const WAYS: Readonly<Record<string, ImageWay>> = {
  'openai-chat': { body: { modalities: ['image', 'text'] } },
  'openai-responses': { tools: [{ dialect: 'openai-responses', native: '{"type":"image_generation"}' }] },
  'google-generatecontent': { body: { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } } },
};

/** By the dialect of the model; one that has no way is asked in words alone. */
export function imageWay(choice: ModelChoice): ImageWay {
  const { provider } = typeof choice === 'string' ? parseModel(choice) : choice;
  return WAYS[provider.dialect] ?? {};
}

/** The last image that a model gave. */
export function imageIn(messages: readonly Message[]): MediaBlock | undefined {
  return messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === 'media' ? [block] : block.type === 'unknown' ? drawn(block.native) : []))
    .findLast(({ mediaType }) => mediaType.startsWith('image/'));
}

/** The image that a server-side tool of the Responses API made. */
function drawn(native: string): readonly MediaBlock[] {
  const item = parseJson(native);
  if (!isObject(item) || item.type !== 'image_generation_call' || typeof item.result !== 'string') return [];
  const format = typeof item.output_format === 'string' ? item.output_format : 'png';
  return [{ type: 'media', mediaType: `image/${format}`, source: { kind: 'base64', data: item.result } }];
}
