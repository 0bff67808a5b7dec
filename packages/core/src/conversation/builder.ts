import type { NativeTool, ProviderDescriptor } from '../dialects/index.ts';
import { isObject, type JsonObject } from '../json/index.ts';
import { assistant, type MediaBlock, type Message, system, user } from '../message/index.ts';
import type { InferSchema, Limits, ModelChoice, Run, RunOptions, StandardSchema, Tool } from '../run/index.ts';
import { findImage } from './choose-model.ts';
import {
  addTools,
  belongsToAnother,
  type ConfigDelta,
  type ConversationConfig,
  ConversationConfigurationError,
  NoAnswerError,
} from './config.ts';
import type { Conversation } from './conversation.ts';
import { type MediaInput, type MediaOptions, mediaBlock } from './media.ts';

interface Props {
  /** The conversation to which the changes are applied when it runs. */
  readonly conversationFor: () => Conversation;
  readonly messages?: readonly Message[];
  readonly config?: ConfigDelta;
}

/**
 * Collects changes to a conversation: messages and configuration. Every call returns a new builder and leaves this one
 * unchanged. Nothing is sent until `prompt`, `promptFor`, `promptForImage` or `stream` is called.
 *
 * @example
 * const brief = llm.agent('You are brief').model('openai/gpt-5.5');
 * const answer = await brief.request('Hello').prompt();
 */
export class LlmBuilder {
  readonly #props: Required<Props>;

  constructor({ conversationFor, messages = [], config = {} }: Props) {
    this.#props = Object.freeze({
      conversationFor,
      messages: Object.freeze([...messages]),
      config: Object.freeze({ ...config }),
    });
    Object.freeze(this);
  }

  /** Who the model is, and what it has to do: a system message. */
  agent(text: string): LlmBuilder {
    return this.#with(system(trimText(text)));
  }

  /** Something the model is to have said. */
  assistant(text: string): LlmBuilder {
    return this.#with(assistant(trimText(text)));
  }

  /** Something for the model to know: a user message. */
  context(text: string): LlmBuilder {
    return this.#with(user(trimText(text)));
  }

  /** What is asked: a user message. */
  request(text: string): LlmBuilder {
    return this.#with(user(trimText(text)));
  }

  image(input: MediaInput, options: MediaOptions = {}): LlmBuilder {
    return this.#with(user([mediaBlock(input, options, 'image/*')]));
  }

  audio(input: MediaInput, options: MediaOptions = {}): LlmBuilder {
    return this.#with(user([mediaBlock(input, options, 'audio/*')]));
  }

  file(input: MediaInput, options: MediaOptions = {}): LlmBuilder {
    return this.#with(user([mediaBlock(input, options, 'application/pdf')]));
  }

  /** Messages of any kind, such as those of another conversation. */
  messages(messages: Iterable<Message>): LlmBuilder {
    return this.#with(...messages);
  }

  provider(provider: string | ProviderDescriptor): LlmBuilder {
    return this.config({ provider });
  }

  /** `provider/model`, or a model of the provider. */
  model(model: ModelChoice): LlmBuilder {
    return this.config({ model });
  }

  /** Adds tools; one of the same name is replaced. */
  tools(...tools: readonly (Tool | NativeTool)[]): LlmBuilder {
    return this.#configured({ moreTools: addTools(this.#props.config.moreTools ?? [], tools) });
  }

  /** Adds to the parameters. */
  params(params: NonNullable<RunOptions['params']>): LlmBuilder {
    return this.config({ params });
  }

  /** Adds to the limits of each run. */
  limit(limits: Limits): LlmBuilder {
    return this.config({ limits });
  }

  /** Any other option of `run`: keys and addresses, an observer, prices … `tools` here takes the place of all others. */
  config(config: ConversationConfig): LlmBuilder {
    const given: unknown = config;
    if (!isObject(given)) throw new ConversationConfigurationError('config', 'must be an object');
    const { params, limits, model } = this.#props.config;
    return this.#configured({
      ...(config.provider !== undefined && belongsToAnother(model, config.provider) && { model: undefined }),
      ...config,
      ...('params' in config && { params: mergeObjects(params, config.params) }),
      ...('limits' in config && { limits: mergeObjects(limits, config.limits) }),
      ...(config.tools && { moreTools: [] }),
    });
  }

  /** Applies the changes to the conversation, and gives it. Nothing is sent until that is iterated. */
  conversation(): Conversation {
    return this.#props.conversationFor().apply(this.#delta);
  }

  /** Asks, and gives the final text. */
  async prompt(): Promise<string> {
    return this.stream().text;
  }

  /** Asks for an answer by a schema. */
  async promptFor<Output>(schema: StandardSchema<Output>): Promise<Output>;
  async promptFor<const Schema extends JsonObject>(schema: Schema): Promise<InferSchema<Schema>>;
  async promptFor(schema: StandardSchema | JsonObject): Promise<unknown> {
    const result = await this.#props.conversationFor().run(this.#delta, { output: schema }).result;
    if (result.output === undefined) throw new NoAnswerError('object', result);
    return result.output;
  }

  /** Asks for an image, where no model is named of one that draws. */
  async promptForImage(): Promise<MediaBlock> {
    const result = await this.#props.conversationFor().run(this.#delta, { image: true }).result;
    const image = findImage(result.messages);
    if (!image) throw new NoAnswerError('image', result);
    return image;
  }

  /** Asks, and gives what happens as events. */
  stream(): Run {
    return this.#props.conversationFor().run(this.#delta);
  }

  get #delta() {
    const { messages, config } = this.#props;
    return { messages, config };
  }

  #with(...more: readonly Message[]): LlmBuilder {
    return new LlmBuilder({ ...this.#props, messages: [...this.#props.messages, ...more] });
  }

  #configured(more: ConfigDelta): LlmBuilder {
    return new LlmBuilder({ ...this.#props, config: { ...this.#props.config, ...more } });
  }
}

/** What is no object is left as it is, for the check to find. */
function mergeObjects<T extends object>(before: T | undefined, more: T | undefined): T | undefined {
  return isObject(more) && !Array.isArray(more) ? { ...before, ...more } : more;
}

function trimText(text: string): string {
  if (typeof text !== 'string') throw new TypeError(`Expected text, not ${typeof text}`);
  return text.trim();
}
