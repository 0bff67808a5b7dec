/** What the tests of this package share: folders to write into, and an emulator. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigProblem } from '@skein/agents';
import { loadConfig } from '@skein/agents';
import type { Message, Tool, ToolContext } from '@skein/core';
import { type Emulator, startEmulator } from '@skein/emulator';
import { afterEach } from 'vitest';

const undo: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Done after the test, last first. */
export function later(step: () => Promise<unknown>): void {
  undo.push(step);
}

/** A new folder with these files. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'skein-agents-')));
  later(() => rm(folder, { recursive: true, force: true }));
  await write(folder, files);
  return folder;
}

export async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** A configuration that knows nothing of the machine that the tests run on. */
export async function configIn(folder: string, env: Readonly<Record<string, string>> = {}) {
  return loadConfig({ cwd: folder, home: join(folder, 'nobody'), env });
}

export async function emulator(): Promise<Emulator> {
  const started = await startEmulator({ seed: 'test', sleep: async () => {} });
  later(() => started.close());
  return started;
}

/** The problem about that key. */
export function about(problems: readonly ConfigProblem[], key: string): ConfigProblem {
  const found = problems.find((problem) => problem.key === key);
  if (!found) throw new Error(`Nothing about ${key}: ${JSON.stringify(problems, null, 1)}`);
  return found;
}

/** Runs a tool as the loop would, without a model. */
export async function call(tool: Tool | undefined, input: unknown, signal?: AbortSignal): Promise<unknown> {
  if (!tool) throw new Error('There is no such tool');
  const messages: readonly Message[] = [];
  const context: ToolContext = {
    signal: signal ?? new AbortController().signal,
    callId: 'c',
    messages,
    note: () => {},
  };
  return tool.execute(input, context);
}

export const serverScript = (name: string): string => fileURLToPath(new URL(`./servers/${name}.mjs`, import.meta.url));
