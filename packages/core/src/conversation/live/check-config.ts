import { isObject, type JsonObject } from '../../json/index.ts';
import { provider } from '../../providers/index.ts';
import type { ConfigDelta } from './config.ts';
import { ConversationConfigurationError } from './errors.ts';

/** What a value has to be: a test, and its name for people. */
type Kind = readonly [what: string, is: (value: unknown) => boolean];

const TEXT: Kind = ['text', (value) => typeof value === 'string'];
const NUMBER: Kind = ['a number', (value) => typeof value === 'number' && Number.isFinite(value)];
/** Without an end is a limit, too. */
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
  extraBody: either(OBJECT, TEXT),
  stream: YES_NO,
  stopWhen: FUNCTION,
  signal: OBJECT,
  approvals: OBJECT,
  compaction: FUNCTION,
  cache: LIST,
  strict: YES_NO,
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
  toolChoice: either(TEXT, OBJECT),
  parallelToolCalls: YES_NO,
  reasoning: OBJECT,
  modalities: LIST,
};

/** Throws a `ConversationConfigurationError` for the first thing that is wrong. Values are never shown: one may be a key. */
export function checkConfig(delta: unknown): asserts delta is ConfigDelta {
  if (!isObject(delta)) throw new ConversationConfigurationError('config', 'must be an object');
  checkKinds(delta, KINDS, '');
  if (isObject(delta.limits)) checkKinds(delta.limits, LIMITS, 'limits.');
  if (isObject(delta.params)) checkKinds(delta.params, PARAMS, 'params.');
  const { provider: name, model } = delta;
  if (typeof name === 'string') known('provider', () => provider(name));
  if (typeof model === 'string' && model.trim() === '')
    throw new ConversationConfigurationError('model', 'must not be empty');
}

function checkKinds(given: JsonObject, kinds: Readonly<Record<string, Kind>>, path: string): void {
  for (const [key, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    if (!kind)
      throw new ConversationConfigurationError(`${path}${key}`, `unknown; known: ${Object.keys(kinds).join(', ')}`);
    if (value !== undefined && !kind[1](value))
      throw new ConversationConfigurationError(key === 'moreTools' ? 'tools' : `${path}${key}`, `must be ${kind[0]}`);
  }
}

function known(key: string, look: () => unknown): void {
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
