// Imports every entry that is named, and uses each package a little. Run by ../pack.test.ts in a project of its own.
import { loadConfig } from '@skein/agents';
import { dialect, dialects, run, user, writeRequest } from '@skein/core';
import { startEmulator } from '@skein/emulator';
import { createEngine, openForest, ROOT } from '@skein/forest';
import { createServer } from '@skein/server';

for (const entry of process.argv.slice(2)) await import(entry);

// In Node, the code of a dialect is loaded when it is first used.
for (const one of dialects()) {
  const { body } = writeRequest(one, { model: 'm', messages: [user('Hello')] });
  if (dialect(one.id) !== one || one.readRequest(body).messages[0]?.text !== 'Hello') throw new Error(one.id);
}

const emulator = await startEmulator();
const env = emulator.env();
const model = 'anthropic/claude-sonnet-5';
const text = await run({ model, messages: [user('Hello')], env }).text;

const forest = await openForest('forest');
const generation = await createEngine(forest, { env }).generate(await forest.append(ROOT, [user('Hello')]), { model });
const { branches } = await generation.result;
const { message } = await forest.node(branches.at(0)?.head ?? '');

const { config } = await loadConfig();
const server = await createServer({ forest, config, env }).listen({ port: 0 });
const version = /** @type {{ api: string }} */ (await (await fetch(`${server.url}/api/v1/version`)).json());
await server.close();
await forest.close();
await emulator.close();
console.log([text, message.text, version.api, config.project].join(' | '));
