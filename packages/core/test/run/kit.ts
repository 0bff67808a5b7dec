/** What the tests of this folder share: an emulator, the APIs, and runs against it. */
import { type Message, type Run, type RunEvent, type RunOptions, run, tool } from '@skein/core';
import { type Emulator, type Protocol, startEmulator } from '@skein/emulator';
import { expect, onTestFinished } from 'vitest';

export interface Api {
  readonly protocol: Protocol;
  readonly provider: string;
  readonly model: string;
}

export const APIS: readonly Api[] = [
  { protocol: 'anthropic-messages', provider: 'anthropic', model: 'claude-opus-5-5' },
  { protocol: 'openai-chat', provider: 'openai-chat', model: 'gpt-5.5' },
  { protocol: 'openai-responses', provider: 'openai', model: 'gpt-5.5' },
  { protocol: 'google-generatecontent', provider: 'google', model: 'gemini-3-pro-preview' },
  { protocol: 'google-interactions', provider: 'google-interactions', model: 'gemini-3.6-flash' },
  { protocol: 'bedrock-converse', provider: 'bedrock', model: 'us.anthropic.claude-opus-5-5' },
  { protocol: 'cohere-chat', provider: 'cohere', model: 'command-a-reasoning-08-2025' },
];

export const [anthropic, chat, responses, google, interactions] = APIS as unknown as readonly [Api, Api, Api, Api, Api];

/** Every API, as a stream and in one piece. */
export const WAYS = APIS.flatMap((api) => [true, false].map((stream) => ({ ...api, api, stream })));

export async function start(options: Parameters<typeof startEmulator>[0] = {}): Promise<Emulator> {
  const emulator = await startEmulator({ seed: 'test', sleep: async () => {}, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

export const modelOf = ({ provider, model }: Api): string => `${provider}/${model}`;

/** A run against the emulator that waits for nothing. */
export function ask(emulator: Emulator, api: Api, options: Omit<RunOptions, 'model'> & Partial<RunOptions>): Run {
  return run({ model: modelOf(api), env: emulator.env(), random: () => 0, ...options });
}

export async function eventsOf(running: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of running) events.push(event);
  return events;
}

export const bodies = (emulator: Emulator): string[] => emulator.log.map(({ body }) => body.toString());

/** Everything that was sent is what the real APIs take. */
export function expectAccepted(emulator: Emulator): void {
  for (const { verdict, body } of emulator.log) {
    expect(verdict.refusal, body.toString()).toBeUndefined();
  }
}

export const rolesOf = (messages: readonly Message[]): string[] => messages.map(({ role }) => role);

export const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city',
  input: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  execute: ({ city }) => ({ city, celsius: 4 }),
});
