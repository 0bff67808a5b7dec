import type { ProtocolEndpoint } from './dialect.ts';
import type { Framing } from './sse.ts';

/**
 * One provider, as data: who issues, where it differs from its dialect's home. Nothing else in the code asks which
 * provider it is talking to.
 */
export interface ProviderDescriptor {
  /** What users call it: `anthropic/claude-sonnet-4-5`. */
  readonly id: string;
  readonly dialect: string;
  /** Who can read the opaque parts of its replies; `{host}` stands for that of the base address. */
  readonly issuer: string;
  readonly apiVersion?: string;
  /** Other names for it. */
  readonly aliases?: readonly string[];
  /** What telemetry and the price list call it, where that is not its id. */
  readonly names?: { readonly otel?: string; readonly prices?: string };
  /** Absent for what is not reached over a network. */
  readonly connection?: Connection;
  /** Its own addresses of the dialect's operations, and its own framing of streams, where those differ from the dialect's. */
  readonly endpoints?: readonly ProtocolEndpoint[];
  readonly framing?: Framing;
  readonly policies: Policies;
}

/** Where a provider is and how it is signed in to. `{model}` and `{apiVersion}` stand for those of the request. */
export interface Connection {
  /** Empty when everyone has their own, to be given or read from `baseUrlVariables`. */
  readonly baseUrl: string;
  readonly path: string;
  /** Where streams are asked for, if not in the same place. */
  readonly streamPath?: string;
  /** Headers that carry the key, which stands for `{key}`: `Bearer {key}`. */
  readonly auth: readonly { readonly header: string; readonly value: string }[];
  /** Environment variables to look for the key, first match first. */
  readonly keyVariables: readonly string[];
  /** Those that the vendor's own SDK reads for the base address. */
  readonly baseUrlVariables: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of a signer, where requests carry a signature in place of a key; see `registerSigner`. */
  readonly signer?: string;
  /** Whether nothing works without a key; the default is true. */
  readonly needsKey?: boolean;
}

export interface Policies {
  readonly toolIds: { readonly pattern: string; readonly maxLength: number };
  readonly toolNames: { readonly pattern: string; readonly maxLength: number };
  /** Fields of its own messages that it refuses when they come back; dots go into objects, `*` into every array element. */
  readonly refusedFields: readonly string[];
  /** Whether system messages may stand inside the conversation: anywhere, never, or only behind a user turn. */
  readonly inlineSystem: ByModel<'anywhere' | 'never' | 'after-user'>;
  /** Whether a request may end with an assistant message, for the model to continue; `trimmed`: not with white space. */
  readonly prefill: ByModel<'yes' | 'no' | 'trimmed'>;
  /** What opaque reasoning is bound to; it is sent only where all of that still holds. */
  readonly reasoningBoundTo: ByModel<readonly ('model' | 'account' | 'prefix' | 'upstream')[]>;
  /** Names of one model, beside those that only add a date or a path: a regular expression, and what replaces its match. */
  readonly modelAliases?: readonly (readonly [pattern: string, name: string])[];
  /** Of a router: how providers behind it are asked for, where that is not the name it gives in lower case and dashes. */
  readonly upstreams?: Readonly<Record<string, string>>;
  /** Media types taken in user messages and in tool results; `image/*` matches any image. */
  readonly media: { readonly user: readonly string[]; readonly toolResult: readonly string[] };
  /** Chat templates that insist on user and assistant taking turns: runs of one role are sent as one message. */
  readonly alternateRoles: boolean;
  /** What only one dialect asks about; see its folder. */
  readonly quirks: Readonly<Record<string, ByModel<string | boolean>>>;
}

/** A value, with exceptions for model names that match a pattern (`*` stands for anything); the first match counts. */
export interface ByModel<T> {
  readonly default: T;
  readonly models?: readonly (readonly [pattern: string, value: T])[];
}

export function forModel<T>(choice: ByModel<T>, model: string): T {
  if (!choice.models) return choice.default;
  const known = choices.get(choice);
  if (known?.model === model) return known.value as T;
  const exception = choice.models.find(([pattern]) => matches(pattern, model));
  const value = exception ? exception[1] : choice.default;
  choices.set(choice, { model, value });
  return value;
}

/** The last answer for each choice: a long history asks the same of every message. */
const choices = new WeakMap<object, { readonly model: string; readonly value: unknown }>();

const compiled = new Map<string, RegExp>();

export function matches(pattern: string, name: string): boolean {
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
