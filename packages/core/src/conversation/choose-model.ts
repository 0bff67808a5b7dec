import { dialect, type ImageFormat } from '../dialects/index.ts';
import { isObject, parseJson } from '../json/index.ts';
import type { MediaBlock, Message } from '../message/index.ts';
import { firstThatFits, type Modality, parseModel, provider, selectModel } from '../providers/index.ts';
import type { ModelChoice } from '../run/index.ts';
import type { ConversationConfig } from './config.ts';

/** The model that a configuration names, or one that can do what is asked and has a key. */
export function chooseModel(
  config: ConversationConfig,
  messages: Iterable<Message>,
  output: readonly Modality[] | undefined,
): ModelChoice {
  const { model, provider: given, tools = [], env, apiKey, select } = config;
  if (typeof model === 'object') return model;
  if (model !== undefined && given === undefined) return model;
  const descriptor = typeof given === 'string' ? provider(given) : given;
  if (model !== undefined && descriptor)
    return { provider: descriptor, model: stripPrefix(model, [descriptor.id, ...(descriptor.aliases ?? [])]) };
  const chosen = selectModel(
    {
      ...(descriptor && { preferredProvider: descriptor.id }),
      input: findModalities(messages),
      ...(output && { output }),
      ...(tools.length > 0 && { tools: true }),
    },
    {
      ...select,
      // Whoever names a provider wants no other.
      strategy: (candidates, requirements) =>
        (select?.strategy ?? firstThatFits)(
          candidates.filter((one) => !descriptor || one.provider.id === descriptor.id),
          requirements,
        ),
      ...(env && { env }),
      ...(descriptor && apiKey !== undefined && { keysFor: [descriptor.id] }),
    },
  );
  return { provider: chosen.provider, model: chosen.model };
}

function stripPrefix(model: string, names: readonly string[]): string {
  const own = names.find((name) => model.startsWith(`${name}/`));
  return own === undefined ? model : model.slice(own.length + 1);
}

/** What a model has to take in. */
function findModalities(messages: Iterable<Message>): readonly Modality[] {
  const types = [...messages].flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'media' ? [block.mediaType] : [])),
  );
  return [...new Set(types.map(toModality))];
}

function toModality(mediaType: string): Modality {
  const [kind] = mediaType.split('/', 1);
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : kind === 'text' ? 'text' : 'document';
}

/** How the dialect of the model is asked for an image; one that has no way is asked in words alone. */
export function imageFormat(choice: ModelChoice): ImageFormat {
  const { provider } = typeof choice === 'string' ? parseModel(choice) : choice;
  return dialect(provider.dialect).output?.image ?? {};
}

/** The last image that a model gave. */
export function findImage(messages: readonly Message[]): MediaBlock | undefined {
  return messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content)
    .flatMap((block) =>
      block.type === 'media' ? [block] : block.type === 'unknown' ? readGeneratedImage(block.native) : [],
    )
    .findLast(({ mediaType }) => mediaType.startsWith('image/'));
}

/** The image that a server-side tool of the Responses API made. */
function readGeneratedImage(native: string): readonly MediaBlock[] {
  const item = parseJson(native);
  if (!isObject(item) || item.type !== 'image_generation_call' || typeof item.result !== 'string') return [];
  const format = typeof item.output_format === 'string' ? item.output_format : 'png';
  return [{ type: 'media', mediaType: `image/${format}`, source: { kind: 'base64', data: item.result } }];
}
