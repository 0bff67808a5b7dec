/** What the tests of this package share: an emulator, the APIs, and an engine against it. */
import { tool } from '@skein/core';
import { type Emulator, type Protocol, startEmulator } from '@skein/emulator';
import { createEngine, createForest, memoryStore } from '@skein/forest';
import { expect, onTestFinished } from 'vitest';

export const APIS: readonly { readonly protocol: Protocol; readonly model: string }[] = [
  { protocol: 'anthropic-messages', model: 'anthropic/claude-opus-5-5' },
  { protocol: 'openai-chat', model: 'openai-chat/gpt-5.5' },
  { protocol: 'openai-responses', model: 'openai/gpt-5.5' },
  { protocol: 'google-generatecontent', model: 'google/gemini-3-pro-preview' },
  { protocol: 'google-interactions', model: 'google-interactions/gemini-3.6-flash' },
];

export async function start(options: Parameters<typeof startEmulator>[0] = {}): Promise<Emulator> {
  const emulator = await startEmulator({ seed: 'test', sleep: async () => {}, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

/** A forest in memory with an engine that asks the emulator and waits for nothing. */
export function grow(emulator: Emulator, store = memoryStore(), now = Date.now) {
  const forest = createForest(store, { now });
  return { forest, store, engine: createEngine(forest, { env: emulator.env(), random: () => 0 }) };
}

export const bodies = (emulator: Emulator): string[] => emulator.log.map(({ body }) => body.toString());

/** Everything that was sent is what the real APIs take. */
export function expectAccepted(emulator: Emulator): void {
  for (const { verdict, body } of emulator.log) expect(verdict.refusal, body.toString()).toBeUndefined();
}

export const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
  execute: ({ city }) => ({ city, celsius: 4 }),
});
