import type { Agent, Config } from '@skein/agents';
import type { Environment, ProviderDescriptor, Tool } from '@skein/core';
import type { Engine, Forest, GenerateOptions, GenerationState, ResumeOptions } from '@skein/forest';
import type { Log, Metrics, RecordingTrouble } from './http/observability.ts';
import type { Redact } from './redact.ts';

/** What the routes work with. */
export interface Services {
  readonly forest: Forest;
  readonly engine: Engine;
  readonly config: Config;
  /** Where keys and addresses come from, those of the demo included. */
  readonly env: Environment;
  /** The same without the demo. */
  readonly ownEnv: Environment;
  readonly agents: () => Promise<readonly Agent[]>;
  readonly tools: readonly Tool[];
  readonly providers: readonly ProviderDescriptor[];
  readonly generating: GenerationResolver;
  readonly redact: Redact;
  /** The price list, where there is one. */
  readonly costOf: GenerateOptions['costOf'];
  readonly log: Log;
  readonly metrics: Metrics;
  readonly recordingTrouble: RecordingTrouble;
  /** Given when the server is told to end. */
  readonly closing: AbortSignal;
  /** Addresses and keys of the stand-in that answers where no provider has a key. */
  readonly demo: Environment | undefined;
  /** There are samples to look at under `/samples`. */
  readonly hasSamples: boolean;
  /** The model for whoever names none: the configured one, or that of demo mode. */
  readonly model: string | undefined;
  readonly version: string;
}

/** From what a request wishes to what the engine needs. */
export interface GenerationResolver {
  /** Where a conversation goes on below a node, what the wish does not say is as in its last request. */
  options(wish: GenerationRequest, goesOn?: { readonly thread: string; readonly at: string }): Promise<GenerateOptions>;
  /** The model for whoever names none: the one that answered last where it can be asked, or the default. */
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
