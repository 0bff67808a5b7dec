import type { Message } from '../../message/index.ts';
import { firstThatFits, type Modality, provider, selectModel } from '../../providers/index.ts';
import type { ModelChoice } from '../../run/index.ts';
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
    return { provider: descriptor, model: withoutPrefix(model, [descriptor.id, ...(descriptor.aliases ?? [])]) };
  const chosen = selectModel(
    {
      ...(descriptor && { preferredProvider: descriptor.id }),
      input: modalitiesOf(messages),
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

function withoutPrefix(model: string, names: readonly string[]): string {
  const own = names.find((name) => model.startsWith(`${name}/`));
  return own === undefined ? model : model.slice(own.length + 1);
}

/** What a model has to take in. */
function modalitiesOf(messages: Iterable<Message>): readonly Modality[] {
  const types = [...messages].flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'media' ? [block.mediaType] : [])),
  );
  return [...new Set(types.map(modalityOf))];
}

function modalityOf(mediaType: string): Modality {
  const [kind] = mediaType.split('/', 1);
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : kind === 'text' ? 'text' : 'document';
}
