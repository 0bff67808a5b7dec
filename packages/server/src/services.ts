import type { Agent, Config } from '@skein/agents';
import type { Environment, ProviderDescriptor, Tool } from '@skein/core';
import type { Engine, Forest, GenerateOptions, GenerationState, ResumeOptions } from '@skein/forest';
import type { Log, Metrics, RecordingTrouble } from './http/observability.ts';
import type { Redactor } from './redact.ts';

/** Everything that the routes use. */
export interface Services {
  readonly forest: Forest;
  readonly engine: Engine;
  readonly config: Config;
  /** The variables with keys and addresses, including those of the demo. */
  readonly env: Environment;
  /** The same variables without those of the demo. */
  readonly ownEnv: Environment;
  readonly agents: () => Promise<readonly Agent[]>;
  readonly tools: readonly Tool[];
  readonly providers: readonly ProviderDescriptor[];
  readonly generating: GenerationResolver;
  readonly redact: Redactor;
  /** The price list, where there is one. */
  readonly costOf: GenerateOptions['costOf'];
  readonly log: Log;
  readonly metrics: Metrics;
  readonly recordingTrouble: RecordingTrouble;
  /** Aborted when the server is told to close. */
  readonly closing: AbortSignal;
  /** Addresses and keys of the stand-in that answers where no provider has a key. */
  readonly demo: Environment | undefined;
  /** Whether `/samples` serves sample conversations. */
  readonly hasSamples: boolean;
  /** The model of requests that name none: the configured one, or that of the demo. */
  readonly model: string | undefined;
  readonly version: string;
}

/** Turns what a client asks for, by names of models, agents and tools, into options of the engine. */
export interface GenerationResolver {
  /** With `goesOn`, options that the request does not give are those of the conversation's last request. */
  options(wish: GenerationRequest, goesOn?: { readonly thread: string; readonly at: string }): Promise<GenerateOptions>;
  /** The model of a request that names none: the one that answered last if it has a key, otherwise the default. */
  nextModel(last?: { readonly provider?: string; readonly model?: string }): string | undefined;
  again(state: GenerationState, model: string | undefined): Promise<ResumeOptions>;
}

interface GenerationRequest {
  readonly model?: string;
  readonly agent?: string;
  readonly tools?: readonly string[];
  /** Checked by the route's schema. */
  readonly params?: object;
}
