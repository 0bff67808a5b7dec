import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Brain, echoBrain } from './brain/brain.ts';
import { demoBrain } from './brain/demo.ts';
import { parseJson } from './json.ts';
import type { Known } from './memory/memory.ts';
import { trusted } from './memory/trust.ts';
import type { Protocol } from './protocol.ts';
import { checkReply } from './reply/check-reply.ts';
import type { Reply } from './reply/reply.ts';
import { createListener } from './server/listen.ts';
import type { LogEntry } from './server/log.ts';
import type { Sleep } from './server/send.ts';
import type { EmulatorSettings, Issuer } from './server/settings.ts';
import { createWorld } from './server/world.ts';

export interface EmulatorOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** The only key that is accepted. Default: any, but one there must be. */
  readonly key?: string;
  /** Who answers what is not scripted. Default `echo`. */
  readonly brain?: 'echo' | 'demo' | Brain;
  /** Makes ids and signatures the same in every run; signatures then outlive the process. Default: random. */
  readonly seed?: string;
  readonly settings?: EmulatorSettings;
  /** Compatible providers by the path they live under: `{ groq: { extra: ['reasoning_format'] } }`. */
  readonly issuers?: Readonly<Record<string, Issuer>>;
  /** Names for the lists of models. Any other name works as well. */
  readonly models?: readonly string[];
  /** Default 32 MiB. */
  readonly maxBodyBytes?: number;
  /** How many requests the log keeps. Default 1000: the oldest go first. */
  readonly logLimit?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** All waiting goes through here: give one that returns at once, and nothing waits. */
  readonly sleep?: Sleep;
}

type Vendor = 'OPENAI' | 'ANTHROPIC' | 'GEMINI';
type Address = 'OPENAI' | 'ANTHROPIC' | 'GOOGLE_GEMINI';

export interface Emulator {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Base URLs as the vendors' SDKs want them; `issuer` is a deployment of its own, with its own memory. */
  baseUrl(protocol: Protocol, issuer?: string): string;
  /** Addresses and keys in the variables that the vendors' SDKs read. */
  env(): Readonly<Record<`${Vendor}_API_KEY` | `${Address}_BASE_URL`, string>>;
  /** Queues replies; each answers one accepted request. Refused requests use up none. */
  script(protocol: Protocol, replies: Reply | readonly Reply[], issuer?: string): void;
  /** The requests so far, oldest first. */
  readonly log: readonly LogEntry[];
  /** May be changed at any time. */
  settings: EmulatorSettings;
  /** Lets it recognise what it did not issue. */
  register(protocol: Protocol, known: Known | readonly Known[], issuer?: string): void;
  /** The same for everything opaque in a request body: signatures, ciphertexts, stored ids. */
  trust(protocol: Protocol, body: string, issuer?: string): void;
  /** Forgets everything: scripts, log, memories. Signatures issued before are refused from then on. */
  reset(): void;
  close(): Promise<void>;
}

const defaultModels = [
  'gpt-5.5',
  'gpt-4o',
  'claude-opus-5-5',
  'claude-sonnet-4-5',
  'gemini-3-pro-preview',
  'gemini-2.5-flash',
];

const realSleep: Sleep = (milliseconds, signal) => wait(milliseconds, undefined, { signal });

const brains = { echo: echoBrain, demo: demoBrain };

export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { brain = 'echo', host = '127.0.0.1', port = 0 } = options;
  const configuration = {
    key: options.key,
    brain: typeof brain === 'string' ? brains[brain] : brain,
    seed: options.seed,
    now: options.now ?? Date.now,
    sleep: options.sleep ?? realSleep,
    issuers: options.issuers ?? {},
    models: options.models ?? defaultModels,
    maxBodyBytes: options.maxBodyBytes ?? 32 * 1024 * 1024,
    logLimit: options.logLimit ?? 1000,
  };
  const world = createWorld(configuration, options.settings ?? {});
  const { server, close } = createListener(world);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  const list = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);
  const register = (protocol: Protocol, known: Iterable<Known>, issuer = '') => {
    for (const one of known) world.memory(protocol, issuer).register(one);
  };
  const baseUrl = (protocol: Protocol, issuer = '') => {
    const base = issuer === '' ? url : `${url}/${issuer}`;
    // OpenAI's SDK appends paths to the version, the other two bring it themselves.
    return protocol.startsWith('openai') ? `${base}/v1` : base;
  };
  return {
    url,
    baseUrl,
    env: () => ({
      OPENAI_API_KEY: options.key ?? 'sk-emulator',
      ANTHROPIC_API_KEY: options.key ?? 'sk-emulator',
      GEMINI_API_KEY: options.key ?? 'sk-emulator',
      OPENAI_BASE_URL: baseUrl('openai-chat'),
      ANTHROPIC_BASE_URL: baseUrl('anthropic-messages'),
      GOOGLE_GEMINI_BASE_URL: baseUrl('google-generatecontent'),
    }),
    script(protocol, replies, issuer) {
      const queued = list(replies);
      for (const [index, reply] of queued.entries()) checkReply(reply, `replies[${index}]`);
      world.queue(protocol, queued, issuer);
    },
    log: world.log,
    get settings() {
      return world.settings;
    },
    set settings(settings) {
      world.settings = settings;
    },
    register: (protocol, known, issuer) => register(protocol, list(known), issuer),
    trust: (protocol, body, issuer) => register(protocol, trusted(parseJson(body)), issuer),
    reset: () => world.reset(),
    close,
  };
}
