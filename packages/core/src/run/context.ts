import type { Dialect, ProviderDescriptor } from '../dialects/index.ts';
import { isObject } from '../json/parse.ts';
import { resolveEndpoint } from '../providers/endpoint.ts';
import type { Clock, ModelRef } from '../providers/index.ts';
import type { Stopper } from '../providers/transport/clock.ts';
import type { SocketFetch } from '../providers/transport/socket-fetch.ts';
import type { Journal } from './journal.ts';
import type { ConnectionOptions, ModelChoice, ModelLimits, RunOptions } from './options.ts';
import type { OutputSchema } from './output-schema.ts';
import type { ServerStateKeeper } from './server-state.ts';
import type { ToolSet } from './tools/answer-calls.ts';

/** What the parts of one run share. */
export interface RunContext {
  readonly options: RunOptions;
  readonly journal: Journal;
  /** Ends the run from outside: the caller `aborted` it, or its `time` is up. */
  readonly stopping: Stopper<'aborted' | 'time'>;
  readonly clock: Clock;
  /** The model and its fallbacks. */
  readonly targets: readonly Target[];
  /** Undefined when there are none. */
  readonly tools: ToolSet | undefined;
  readonly output: OutputSchema | undefined;
  /** What each API keeps of the conversation, for the models that were asked so far. */
  readonly keepers: Map<Target, ServerStateKeeper>;
  /** The WebSockets of the run, by the models that are asked over them. */
  readonly sockets: Map<Target, SocketFetch>;
}

/** What `run` looks up by name. It is passed in, so that a bundle need not contain every dialect and provider. */
export interface Directory {
  dialect(id: string): Dialect | Promise<Dialect>;
  parseModel(text: string): ModelRef;
  /** The known size of a model; `modelLimits` of the caller comes first. */
  modelLimits?(provider: ProviderDescriptor, model: string): ModelLimits;
}

/** A model that can be asked. */
export interface Target {
  readonly dialect: Dialect;
  /** With the issuer that follows from its address. */
  readonly provider: ProviderDescriptor;
  readonly model: string;
  readonly connection: ConnectionOptions;
}

/** The model and its fallbacks, in order. */
export async function resolveTargets(options: RunOptions, directory: Directory): Promise<readonly Target[]> {
  const choices: readonly ModelChoice[] = [options.model, ...(options.fallback ?? [])];
  const refs = choices.map((choice) => {
    if (typeof choice === 'string') return directory.parseModel(choice);
    if (isObject(choice) && isObject(choice.provider) && typeof choice.model === 'string') return choice;
    throw new TypeError('A model is "provider/model", or { provider, model } with the descriptor of the provider');
  });
  const first = refs[0]!.provider;
  const targets = choices.map(async (choice, index): Promise<Target> => {
    const { provider, model } = refs[index]!;
    const own: ConnectionOptions = typeof choice === 'string' ? {} : choice;
    // A key is never shown to another provider than the one it was given for.
    const shared = provider.id === first.id ? options : { env: options.env, fetch: options.fetch };
    const connection = mergeConnections(own, shared);
    return {
      dialect: await directory.dialect(provider.dialect),
      provider: resolveEndpoint(provider, connection).provider,
      model,
      connection,
    };
  });
  return Promise.all(targets);
}

function mergeConnections(own: ConnectionOptions, shared: ConnectionOptions): ConnectionOptions {
  return {
    apiKey: own.apiKey ?? shared.apiKey,
    baseUrl: own.baseUrl ?? shared.baseUrl,
    account: own.account ?? shared.account,
    extraHeaders: own.extraHeaders ?? shared.extraHeaders,
    env: own.env ?? shared.env,
    fetch: own.fetch ?? shared.fetch,
  };
}

/** `provider/model`. */
export const targetName = ({ provider, model }: Target): string => `${provider.id}/${model}`;
