import type { NativeTool, ProviderDescriptor } from '../dialects/index.ts';
import { SkeinError } from '../error.ts';
import { isObject, type JsonObject } from '../json/index.ts';
import { checkMessages, type Message } from '../message/index.ts';
import { provider, providers, type SelectOptions } from '../providers/index.ts';
import type { ModelChoice, RunOptions, RunResult, Tool } from '../run/index.ts';

/** How a conversation runs. Nothing of it is ever saved. */
export interface ConversationConfig
  extends Omit<RunOptions, 'model' | 'system' | 'messages' | 'previous' | 'checkpoints' | 'output' | 'outgoing'> {
  /** A name or a descriptor. Without `model`, one of its models is chosen. */
  readonly provider?: string | ProviderDescriptor | undefined;
  /** `provider/model`, or a model of `provider`. Without both, a model is chosen by the messages and the keys that exist. */
  readonly model?: ModelChoice | undefined;
  /** How a model is chosen when none is named. */
  readonly select?: Pick<SelectOptions, 'models' | 'strategy'> | undefined;
}

/** Changes to a configuration. `params` and `limits` are merged; `tools` replaces all tools. */
export interface ConfigDelta extends ConversationConfig {
  /** Further tools; a tool of the same name is replaced. */
  readonly moreTools?: readonly (Tool | NativeTool)[] | undefined;
}

type AnyTool = Tool | NativeTool;

/** Options that belong to one provider and are never shown to another. */
const CONNECTION = ['apiKey', 'baseUrl', 'account', 'apiVersion', 'extraHeaders'] as const;

/** The configuration with changes; neither argument is modified. Throws a `ConversationConfigurationError`. */
function applyConfig(config: ConversationConfig, delta: ConfigDelta): ConversationConfig {
  checkConfig(delta);
  const { moreTools, ...rest } = delta;
  const next: ConversationConfig = {
    ...config,
    ...rest,
    ...chooseProviderAndModel(config, rest),
    tools: addTools(rest.tools ?? config.tools ?? [], moreTools ?? []),
    ...('params' in rest && { params: rest.params && { ...config.params, ...rest.params } }),
    ...('limits' in rest && { limits: rest.limits && { ...config.limits, ...rest.limits } }),
  };
  if (findProviderId(config) === undefined || findProviderId(config) === findProviderId(next))
    return Object.freeze(next);
  const given = CONNECTION.filter((name) => Object.hasOwn(rest, name));
  const left = CONNECTION.filter((name) => !given.includes(name)).map((name) => [name, undefined]);
  return Object.freeze({ ...next, ...Object.fromEntries(left) });
}

/** Adds tools; a tool of the same name is replaced. */
export function addTools(tools: readonly AnyTool[], more: readonly AnyTool[]): readonly AnyTool[] {
  const all = [...tools];
  for (const tool of more) {
    const at = all.findIndex((one) => isSameTool(one, tool));
    all.splice(at < 0 ? all.length : at, at < 0 ? 0 : 1, tool);
  }
  return all;
}

function isSameTool(one: AnyTool, other: AnyTool): boolean {
  // Values that are no tools are reported by the check, when the changes are applied.
  if (!isObject(one) || !isObject(other)) return false;
  if ('execute' in one) return 'execute' in other && one.name === other.name;
  return !('execute' in other) && one.dialect === other.dialect && one.native === other.native;
}

/** A provider without a model leaves the model open; a model without a provider keeps the provider, unless it names another. */
function chooseProviderAndModel(
  before: ConversationConfig,
  delta: ConversationConfig,
): Pick<ConversationConfig, 'provider' | 'model'> {
  if (delta.provider !== undefined) {
    const same = readId(delta.provider) === findProviderId(before);
    return { provider: delta.provider, model: delta.model ?? (same ? before.model : undefined) };
  }
  const { model } = delta;
  if (model === undefined) return { provider: before.provider, model: before.model };
  if (typeof model !== 'string' || findNamedProvider(model) !== undefined) return { provider: undefined, model };
  return { provider: before.provider ?? findProviderId(before), model };
}

/** The provider that will be asked; undefined when it is still to be chosen. */
function findProviderId({ provider: given, model }: ConversationConfig): string | undefined {
  // A builder calls this before anything was checked.
  if (typeof model === 'object') return model?.provider?.id;
  if (given !== undefined) return readId(given);
  return model === undefined ? undefined : findNamedProvider(model);
}

/** Whether a model belongs to another provider than the given one. */
export function belongsToAnother(model: ConversationConfig['model'], given: string | ProviderDescriptor): boolean {
  const named = model === undefined ? undefined : findProviderId({ model });
  const wanted = typeof given === 'string' ? findNamedProvider(`${given}/`) : given?.id;
  return named !== undefined && named !== wanted;
}

function readId(given: string | ProviderDescriptor): string {
  return typeof given === 'string' ? provider(given).id : given.id;
}

function findNamedProvider(model: string): string | undefined {
  if (typeof model !== 'string') return undefined;
  const name = model.slice(0, Math.max(model.indexOf('/'), 0));
  return providers().find(({ id, aliases }) => id === name || aliases?.includes(name))?.id;
}

/** What a value must be: in words, and as a test. */
type Kind = readonly [what: string, is: (value: unknown) => boolean];

const TEXT: Kind = ['text', (value) => typeof value === 'string'];
const NUMBER: Kind = ['a number', (value) => typeof value === 'number' && Number.isFinite(value)];
/** `Infinity` is a limit, too. */
const LIMIT: Kind = ['a number', (value) => typeof value === 'number' && !Number.isNaN(value)];
const YES_NO: Kind = ['true or false', (value) => typeof value === 'boolean'];
const OBJECT: Kind = ['an object', (value) => isObject(value) && !Array.isArray(value)];
const LIST: Kind = ['a list', Array.isArray];
const FUNCTION: Kind = ['a function', (value) => typeof value === 'function'];
const PROVIDER: Kind = [
  'a name or a descriptor',
  (value) => TEXT[1](value) || (isObject(value) && TEXT[1](value.id) && TEXT[1](value.dialect)),
];
const MODEL: Kind = [
  'text or { provider, model }',
  (value) => TEXT[1](value) || (isObject(value) && isObject(value.provider) && TEXT[1](value.model)),
];
const TOOLS: Kind = ['a list of tools', (value) => Array.isArray(value) && value.every(isTool)];

const either = (one: Kind, other: Kind): Kind => [
  `${one[0]} or ${other[0]}`,
  (value) => one[1](value) || other[1](value),
];

type Kinds<T> = Readonly<Record<keyof T, Kind>>;

const KINDS: Kinds<Required<ConfigDelta>> = {
  provider: PROVIDER,
  model: MODEL,
  select: OBJECT,
  fallback: ['a list of models', (value) => Array.isArray(value) && value.every(MODEL[1])],
  tools: TOOLS,
  moreTools: TOOLS,
  params: OBJECT,
  limits: OBJECT,
  extraBody: /* @__PURE__ */ either(OBJECT, TEXT),
  stream: YES_NO,
  stopWhen: FUNCTION,
  signal: OBJECT,
  approvals: OBJECT,
  compaction: FUNCTION,
  cache: LIST,
  strict: YES_NO,
  cacheDiagnosis: YES_NO,
  warmUp: YES_NO,
  serverState: YES_NO,
  transport: ['a text or a session', (value) => typeof value === 'string' || OBJECT[1](value)],
  openSocket: FUNCTION,
  timeouts: OBJECT,
  retry: ['an object or false', (value) => value === false || OBJECT[1](value)],
  costOf: FUNCTION,
  modelLimits: FUNCTION,
  refusals: OBJECT,
  observer: FUNCTION,
  observePayloads: YES_NO,
  clock: OBJECT,
  random: FUNCTION,
  apiKey: TEXT,
  baseUrl: TEXT,
  account: TEXT,
  apiVersion: TEXT,
  extraHeaders: OBJECT,
  env: OBJECT,
  fetch: FUNCTION,
};

const LIMITS: Kinds<Required<NonNullable<ConfigDelta['limits']>>> = {
  steps: LIMIT,
  tokens: LIMIT,
  cost: LIMIT,
  seconds: LIMIT,
};

const PARAMS: Kinds<Required<NonNullable<ConfigDelta['params']>>> = {
  maxTokens: NUMBER,
  temperature: NUMBER,
  topP: NUMBER,
  stop: LIST,
  seed: NUMBER,
  stream: YES_NO,
  toolChoice: /* @__PURE__ */ either(TEXT, OBJECT),
  parallelToolCalls: YES_NO,
  reasoning: OBJECT,
  modalities: LIST,
};

/** Throws a `ConversationConfigurationError` for the first mistake. Values are never shown: one may be a key. */
function checkConfig(delta: unknown): asserts delta is ConfigDelta {
  if (!isObject(delta)) throw new ConversationConfigurationError('config', 'must be an object');
  checkKinds(delta, KINDS, '');
  if (isObject(delta.limits)) checkKinds(delta.limits, LIMITS, 'limits.');
  if (isObject(delta.params)) checkKinds(delta.params, PARAMS, 'params.');
  const { provider: name, model } = delta;
  if (typeof name === 'string') checkKnown('provider', () => provider(name));
  if (typeof model === 'string' && model.trim() === '')
    throw new ConversationConfigurationError('model', 'must not be empty');
}

function checkKinds(given: JsonObject, kinds: Readonly<Record<string, Kind>>, path: string): void {
  for (const [key, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    if (!kind)
      throw new ConversationConfigurationError(
        `${path}${key}`,
        `is unknown; the known ones are: ${Object.keys(kinds).join(', ')}`,
      );
    if (value !== undefined && !kind[1](value))
      throw new ConversationConfigurationError(key === 'moreTools' ? 'tools' : `${path}${key}`, `must be ${kind[0]}`);
  }
}

function checkKnown(key: string, look: () => unknown): void {
  try {
    look();
  } catch (cause) {
    throw new ConversationConfigurationError(key, (cause as Error).message, cause);
  }
}

function isTool(value: unknown): boolean {
  if (!isObject(value)) return false;
  return typeof value.execute === 'function'
    ? typeof value.name === 'string' && typeof value.check === 'function'
    : typeof value.dialect === 'string' && typeof value.native === 'string';
}

/** Changes to a conversation: messages to append, and configuration. */
export interface Delta {
  readonly messages?: Iterable<Message>;
  readonly config?: ConfigDelta;
}

/** The conversation with the changes. Nothing is modified, so that changes that cannot be applied leave no trace. */
export function applyDelta(
  config: ConversationConfig,
  { messages = [], config: changes = {} }: Delta,
): { readonly added: readonly Message[]; readonly config: ConversationConfig } {
  try {
    const added = checkMessages(messages);
    return { added, config: applyConfig(config, changes) };
  } catch (error) {
    if (error instanceof ConversationConfigurationError) throw error;
    throw new DeltaApplicationError(error instanceof Error ? error.message : String(error), error);
  }
}

/** A wrong configuration: an unknown name, or a value of the wrong kind. */
export class ConversationConfigurationError extends SkeinError {
  override readonly name = 'ConversationConfigurationError';
  readonly code = 'invalid_configuration';
  /** The wrong name, such as `limits.steps`. */
  readonly key: string;

  constructor(key: string, problem: string, cause?: unknown) {
    super(`Configuration "${key}": ${problem}`, { cause });
    this.key = key;
  }
}

/** Changes that could not be applied to a conversation, which stays as it was. */
export class DeltaApplicationError extends SkeinError {
  override readonly name = 'DeltaApplicationError';
  readonly code = 'delta_not_applied';

  constructor(problem: string, cause?: unknown) {
    super(`The changes were not applied: ${problem}`, { cause });
  }
}

/** A run that succeeded, but without the object or the image that was asked for. */
export class NoAnswerError extends SkeinError {
  override readonly name = 'NoAnswerError';
  readonly code = 'no_answer';
  readonly result: RunResult;

  constructor(wanted: string, result: RunResult) {
    super(`There is no ${wanted} in the answer; the run ended for "${result.stop.reason}"`);
    this.result = result;
  }
}
