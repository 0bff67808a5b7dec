import { dialect, type ImageFormat } from '../../dialects/index.ts';
import { isObject, parseJson } from '../../json/index.ts';
import type { MediaBlock, Message } from '../../message/index.ts';
import { parseModel } from '../../providers/index.ts';
import type { ModelChoice } from '../../run/index.ts';

/** How the dialect of the model is asked for an image; one that has no way is asked in words alone. */
export function imageFormat(choice: ModelChoice): ImageFormat {
  const { provider } = typeof choice === 'string' ? parseModel(choice) : choice;
  return dialect(provider.dialect).output?.image ?? {};
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
