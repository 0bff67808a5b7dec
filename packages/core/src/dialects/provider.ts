import type { ProtocolEndpoint } from './dialect.ts';
import type { Framing } from './stream.ts';

/**
 * A provider, as data: its issuer, its address, and where it differs from its dialect's home. No other code asks which
 * provider it is talking to.
 */
export interface ProviderDescriptor {
  /** The name before the slash in `anthropic/claude-sonnet-5`. */
  readonly id: string;
  readonly dialect: string;
  /** Who can read the opaque parts of its replies. `{host}` is replaced by the host of the base URL. */
  readonly issuer: string;
  /** The version of the API that is asked for, unless a caller names another. */
  readonly apiVersion?: string;
  /** Other names for it. */
  readonly aliases?: readonly string[];
  /** Its names in telemetry and in the price list, if they differ from its id. */
  readonly names?: { readonly otel?: string; readonly prices?: string };
  /** Its hosts, where they differ by region: its traffic is recognised by them. */
  readonly hosts?: RegExp;
  /** Absent if it is not reached over a network. */
  readonly connection?: Connection;
  /** Its own addresses of the dialect's operations, and its own framing of streams, where those differ from the dialect's. */
  readonly endpoints?: readonly ProtocolEndpoint[];
  readonly framing?: Framing;
  readonly policies: Policies;
}

/** The address of a provider, and how to authenticate. `{model}` and `{apiVersion}` are replaced by those of the request. */
export interface Connection {
  /** Empty if every user has their own; it is then passed, or read from `baseUrlVariables`. */
  readonly baseUrl: string;
  readonly path: string;
  /** The address where it depends on variables such as a region: what it returns replaces the members above and below. */
  readonly locate?: (
    env: Readonly<Record<string, string | undefined>>,
  ) => Partial<Pick<Connection, 'baseUrl' | 'path' | 'streamPath'>>;
  /** The path for streams, if it differs. */
  readonly streamPath?: string;
  /** The headers that carry the key, which replaces `{key}`: `Bearer {key}`. */
  readonly auth: readonly { readonly header: string; readonly value: string }[];
  /** Environment variables for the key; the first one that is set counts. */
  readonly keyVariables: readonly string[];
  /** Environment variables for the base URL, as in the vendor's own SDK. */
  readonly baseUrlVariables: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of a signer, where requests carry a signature in place of a key; see `registerSigner`. */
  readonly signer?: string;
  /** Environment variables of the signer's credentials: if one is set, no key is needed. */
  readonly credentialVariables?: readonly string[];
  /** Whether requests require a key; true by default. */
  readonly needsKey?: boolean;
  /** Versions of the API where the key is sent in another way, or comes from other variables. */
  readonly versions?: Readonly<Record<string, Partial<Pick<Connection, 'auth' | 'keyVariables'>>>>;
}

/** What a provider accepts. */
export interface Policies {
  readonly toolIds: { readonly pattern: string; readonly maxLength: number };
  readonly toolNames: { readonly pattern: string; readonly maxLength: number };
  /** Fields of its own messages that it refuses when they are sent back. Dots lead into objects, `*` into all elements of a list. */
  readonly refusedFields: readonly string[];
  /** Where system messages may stand inside the conversation: anywhere, never, or only behind a user turn. */
  readonly inlineSystem: ByModel<'anywhere' | 'never' | 'after-user'>;
  /** Whether a request may end with an assistant message, which the model continues; `trimmed`: without white space at its end. */
  readonly prefill: ByModel<'yes' | 'no' | 'trimmed'>;
  /** What opaque reasoning is bound to. It is sent only if all of that is still the same. */
  readonly reasoningBoundTo: ByModel<readonly ('model' | 'account' | 'prefix' | 'upstream')[]>;
  /** Further names of models, besides those that only add a date or a path: a regular expression, and its replacement. */
  readonly modelAliases?: readonly (readonly [pattern: string, name: string])[];
  /** Of a router: the slugs of providers behind it, where they are not the display name in lower case with dashes. */
  readonly upstreams?: Readonly<Record<string, string>>;
  /** The media types that are accepted in user messages and in tool results; `image/*` matches any image. */
  readonly media: { readonly user: readonly string[]; readonly toolResult: readonly string[] };
  /** Whether user and assistant must alternate, as chat templates require. Runs of one role are then merged. */
  readonly alternateRoles: boolean;
  /** Settings that only one dialect reads; see the provider file in its folder. */
  readonly quirks: Readonly<Record<string, ByModel<string | boolean>>>;
}

/** A value with exceptions for models. The first pattern that matches the model's name wins; `*` matches anything. */
export interface ByModel<T> {
  readonly default: T;
  readonly models?: readonly (readonly [pattern: string, value: T])[];
}

/**
 * The value for a model.
 *
 * @example
 * forModel({ default: 'a', models: [['gpt-*', 'b']] }, 'gpt-5.5'); // 'b'
 */
export function forModel<T>(choice: ByModel<T>, model: string): T {
  if (!choice.models) return choice.default;
  const known = choices.get(choice);
  if (known?.model === model) return known.value as T;
  const exception = choice.models.find(([pattern]) => matches(pattern, model));
  const value = exception ? exception[1] : choice.default;
  choices.set(choice, { model, value });
  return value;
}

/** A model at a provider. */
export interface ModelTarget {
  readonly provider: ProviderDescriptor;
  readonly model: string;
}

/** Where a model takes system text among the messages. */
export function inlineSystem({ provider, model }: ModelTarget): 'anywhere' | 'never' | 'after-user' {
  return forModel(provider.policies.inlineSystem, model);
}

/** The value of a quirk for a model; `otherwise` if the descriptor does not have it. */
export function readQuirk(
  { provider, model }: ModelTarget,
  name: string,
  otherwise: string | boolean,
): string | boolean {
  const choice = provider.policies.quirks[name];
  return choice ? forModel(choice, model) : otherwise;
}

/** The last result for each choice, because writing a long history asks the same for every message. */
const choices = new WeakMap<object, { readonly model: string; readonly value: unknown }>();

const compiled = new Map<string, RegExp>();

function matches(pattern: string, name: string): boolean {
  let expression = compiled.get(pattern);
  if (!expression) {
    const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    expression = new RegExp(`^${parts.join('.*')}$`, 's');
    compiled.set(pattern, expression);
  }
  return expression.test(name);
}

export function takesMedia(accepted: readonly string[], mediaType: string): boolean {
  return accepted.some((pattern) => matches(pattern, mediaType));
}
