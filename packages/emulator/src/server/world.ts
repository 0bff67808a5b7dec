/** Everything an emulator holds: the queue of replies, the memories, the log. */
import { createHash, randomUUID } from 'node:crypto';
import type { Brain } from '../brain/brain.ts';
import { createMemory, type ProviderMemory } from '../memory/memory.ts';
import type { Protocol } from '../protocol.ts';
import type { Reply } from '../reply/reply.ts';
import type { LogEntry } from './log.ts';
import type { Sleep } from './send.ts';
import type { EmulatorSettings, Issuer } from './settings.ts';

export interface Configuration {
  readonly key: string | undefined;
  readonly brain: Brain;
  readonly seed: string | undefined;
  readonly now: () => number;
  readonly sleep: Sleep;
  readonly issuers: Readonly<Record<string, Issuer>>;
  readonly models: readonly string[];
  readonly maxBodyBytes: number;
  readonly logLimit: number;
}

export interface World {
  readonly configuration: Configuration;
  readonly log: LogEntry[];
  settings: EmulatorSettings;
  memory(protocol: Protocol, issuer: string): ProviderMemory;
  /** Numbers the requests. */
  count(): number;
  /** Puts replies at the end of a queue: that of one issuer, or that of the protocol. */
  queue(protocol: Protocol, replies: readonly Reply[], issuer?: string): void;
  next(protocol: Protocol, issuer: string): Reply | undefined;
  /** How often these very bytes were accepted before. */
  attempt(protocol: Protocol, issuer: string, body: string): number;
  /** The start of ids and signatures: the same for the same request, attempt and seed. */
  seedFor(body: string, attempt: number): string;
  reset(): void;
}

export function createWorld(configuration: Configuration, settings: EmulatorSettings): World {
  const first = configuration.seed ?? randomUUID();
  const log: LogEntry[] = [];
  const memories = new Map<string, ProviderMemory>();
  const queues = new Map<string, Reply[]>();
  const attempts = new Map<string, number>();
  let epoch = 0;
  let requests = 0;
  // What was issued before a reset is not recognised after it.
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
