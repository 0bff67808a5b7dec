/** Everything an emulator keeps between requests: its settings, the queued replies, the memories, the log. */

import { createHash, randomUUID } from 'node:crypto';
import type { Brain } from '../brain.ts';
import { createMemory, type ProviderMemory } from '../memory.ts';
import type { Protocol } from '../protocol.ts';
import type { ScriptedReply } from '../reply.ts';
import type { ApiDifferences } from '../rules/openai/rule.ts';
import type { JudgeSettings, Verdict } from '../rules/verdict.ts';
import type { AwsAccount } from './aws.ts';

/** Waits; resolves or rejects early when the signal is aborted. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export type HeaderMap = Readonly<Record<string, string>>;

/** How strict the emulator is; `emulator.settings` may be changed at any time. */
export interface EmulatorSettings extends JudgeSettings {
  /** Chat completions: refuse unknown fields of messages, as Groq does, instead of warning about them. */
  readonly refuseUnknownMessageFields?: boolean;
  /** Interactions: for how many milliseconds they are kept. Default: 55 days. */
  readonly retention?: number;
}

/** A compatible provider that is served under its own path, and how its API differs from OpenAI's. */
export interface Issuer extends ApiDifferences {
  readonly refuseUnknownMessageFields?: boolean;
}

/** The response as far as it was sent. */
export interface ServedResponse {
  readonly status: number;
  readonly headers: HeaderMap;
  /** The bytes that were sent before the response ended. */
  readonly body: Buffer;
  /** `left`: the client closed the connection first. */
  readonly ended: 'complete' | 'cut' | 'reset' | 'hang' | 'end' | 'left';
}

/** One request, its verdict and its response. */
export interface LogEntry {
  /** When it arrived, by the emulator's clock. */
  readonly at: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: HeaderMap;
  /** The exact bytes. */
  readonly body: Buffer;
  readonly protocol: Protocol;
  readonly issuer: string;
  readonly verdict: Verdict;
  /** Undefined until the response has ended. */
  readonly served: ServedResponse | undefined;
}

interface Configuration {
  readonly key: string | undefined;
  readonly aws: AwsAccount | undefined;
  readonly brain: Brain;
  readonly seed: string | undefined;
  readonly now: () => number;
  readonly sleep: Sleep;
  readonly issuers: Readonly<Record<string, Issuer>>;
  readonly models: readonly string[];
  readonly maxBodyBytes: number;
  readonly logLimit: number;
}

export interface EmulatorState {
  readonly configuration: Configuration;
  readonly log: LogEntry[];
  settings: EmulatorSettings;
  memory(protocol: Protocol, issuer: string): ProviderMemory;
  /** The number of requests so far; counts one more. */
  count(): number;
  /** Appends replies to the queue of one issuer, or of the protocol when no issuer is given. */
  queue(protocol: Protocol, replies: readonly ScriptedReply[], issuer?: string): void;
  next(protocol: Protocol, issuer: string): ScriptedReply | undefined;
  /** How often exactly these bytes were accepted before. */
  attempt(protocol: Protocol, issuer: string, body: string): number;
  /** The seed of ids and signatures: the same for the same request, attempt and configured seed. */
  seedFor(body: string, attempt: number): string;
  reset(): void;
}

export function createState(configuration: Configuration, settings: EmulatorSettings): EmulatorState {
  const first = configuration.seed ?? randomUUID();
  const log: LogEntry[] = [];
  const memories = new Map<string, ProviderMemory>();
  const queues = new Map<string, ScriptedReply[]>();
  const attempts = new Map<string, number>();
  let epoch = 0;
  let requests = 0;
  // Each reset changes the seed, so that signatures issued before it are refused.
  const seed = () => `${first}/${epoch}`;
  return {
    configuration,
    log,
    settings,
    count: () => requests++,
    memory(protocol, issuer) {
      const name = `${protocol}@${issuer}`;
      const memory = memories.get(name) ?? createMemory(protocol, `${seed()}/${name}`);
      memories.set(name, memory);
      return memory;
    },
    queue(protocol, replies, issuer) {
      const name = issuer === undefined ? protocol : `${protocol}@${issuer}`;
      queues.set(name, [...(queues.get(name) ?? []), ...replies]);
    },
    next: (protocol, issuer) => queues.get(`${protocol}@${issuer}`)?.shift() ?? queues.get(protocol)?.shift(),
    attempt(protocol, issuer, body) {
      const name = digest(protocol, issuer, body);
      const before = attempts.get(name) ?? 0;
      attempts.set(name, before + 1);
      return before;
    },
    seedFor: (body, attempt) => digest(seed(), body, `${attempt}`),
    reset() {
      epoch += 1;
      log.length = 0;
      memories.clear();
      queues.clear();
      attempts.clear();
    },
  };
}

const digest = (...texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex');
