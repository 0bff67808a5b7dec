// A program in TypeScript, checked by ../pack.test.ts against the packages as they are published.

import { saveConversation } from '@skein/core/node';
import { otelObserver } from '@skein/core/otel';
import { costOf } from '@skein/core/prices';
import { startEmulator } from '@skein/emulator';
import { createEngine, type Forest, openForest, ROOT } from '@skein/forest';
import { storeConformance } from '@skein/forest/testing';
import { type Message, run, tool, user } from 'skein';
import { loadConfig } from 'skein/agents';
import { createServer } from 'skein/server';

const weather = tool({ name: 'weather', execute: async () => 'cold' });
const messages: readonly Message[] = [user('Hello')];
export const text: Promise<string> = run({ model: 'openai/gpt-5.5', messages, tools: [weather], costOf }).text;
// @ts-expect-error there is no such option
run({ model: 'openai/gpt-5.5', messages, nonsense: 1 });

export async function serve(): Promise<string> {
  const forest: Forest = await openForest(':memory:');
  const { config } = await loadConfig();
  const generation = await createEngine(forest).generate(ROOT, { model: 'openai/gpt-5.5' });
  const { status } = await generation.result;
  const emulator = await startEmulator({ brain: 'demo' });
  const { url } = await createServer({ forest, config, env: emulator.env() }).listen({ port: 0 });
  return `${url} ${status satisfies string}`;
}

export { otelObserver, saveConversation, storeConformance };
