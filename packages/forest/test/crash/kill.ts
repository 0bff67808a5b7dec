import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { fileStore } from '../../src/index.ts';
import { readPlainly } from './plain-reader.ts';

/** How often; `npm run torture` asks for more. */
export const ROUNDS = Number(process.env.SKEIN_KILLS ?? 10);
/** All of a folder is looked at after every crash: with a thousand in one, the last would take hours. */
const ROUNDS_IN_FOLDER = 20;

/**
 * Crash upon crash in one folder, then in a new one. `work` crashes as often as it is told. A folder in which something
 * was lost is left, to be looked at.
 */
export async function crashAndCrash(work: (folder: string, rounds: number) => Promise<void>): Promise<void> {
  for (let left = ROUNDS; left > 0; left -= ROUNDS_IN_FOLDER) {
    const folder = await mkdtemp(join(tmpdir(), 'skein-kill-'));
    await work(folder, Math.min(left, ROUNDS_IN_FOLDER));
    await rm(folder, { recursive: true });
  }
}

interface Told {
  readonly begun: { readonly batch: number; readonly texts: [id: string, text: string][] }[];
  readonly done: Set<number>;
}

/** A child as a file that Node can run, and how to be rid of it. */
export async function buildChild(name = 'child.ts'): Promise<{ readonly script: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-child-'));
  const script = join(folder, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: {
      '@skein/core/dialect': fileURLToPath(new URL('../../../core/src/dialect.ts', import.meta.url)),
      '@skein/core': fileURLToPath(new URL('../../../core/src/index.ts', import.meta.url)),
    },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
  return { script, remove: () => rm(folder, { recursive: true }) };
}

/**
 * Lets writers append side by side to a folder, kills each at a random moment, and compares what is there with what they
 * were told. Returns how many batches were acknowledged; throws when one is lost or there in part.
 */
export async function killOnce(script: string, folder: string, round: string, writers: number): Promise<number> {
  const all = await Promise.all(
    Array.from({ length: writers }, (_, index) => runAndKill(script, folder, `${round}.${index}`)),
  );
  const nodes = readPlainly(folder);
  for (const { begun, done } of all) {
    for (const { batch, texts } of begun) {
      const there = texts.filter(([id, text]) => nodes.get(id) === text).length;
      if (done.has(batch) && there < texts.length)
        throw new Error(`Batch ${round}/${batch} was acknowledged and is lost`);
      if (there > 0 && there < texts.length) throw new Error(`Of batch ${round}/${batch} a part is there`);
    }
  }
  await compareWithStore(folder, nodes);
  return all.reduce((sum, { done }) => sum + done.size, 0);
}

async function runAndKill(script: string, folder: string, name: string): Promise<Told> {
  const seed = String(Math.floor(Math.random() * 2 ** 32));
  const child = spawn(process.execPath, [script, folder, name, seed], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = linesOf(child);
  await begun(child);
  await new Promise((resolve) => setTimeout(resolve, Math.random() ** 2 * 150));
  child.kill('SIGKILL');
  const told: Told = { begun: [], done: new Set() };
  for (const line of (await lines).split('\n').slice(0, -1)) {
    const [word, rest] = [line.slice(0, line.indexOf(' ')), JSON.parse(line.slice(line.indexOf(' ')))];
    if (word === 'begin') told.begun.push(rest);
    else told.done.add(rest.batch);
  }
  if (told.begun.length === 0) throw new Error(`Writer ${name} did not begin (exit code ${child.exitCode})`);
  return told;
}

/** When a process has printed a line, or is gone. */
export async function begun(child: ChildProcess): Promise<void> {
  const line = new Promise<void>((resolve) => {
    child.stdout!.on('data', (piece: Buffer) => piece.includes('\n') && resolve());
  });
  await Promise.race([line, once(child, 'exit')]);
}

/** What a process prints until it is closed. */
export async function linesOf(child: ChildProcess): Promise<string> {
  const pieces: Buffer[] = [];
  child.stdout!.on('data', (piece: Buffer) => pieces.push(piece));
  await once(child, 'close');
  return Buffer.concat(pieces).toString();
}

/** The store itself finds the same nodes, and nothing worse than an end that was torn off. */
async function compareWithStore(folder: string, nodes: ReadonlyMap<string, string>): Promise<void> {
  const store = await fileStore(folder);
  const ids = [...nodes.keys()];
  const found = await store.nodes(ids);
  const texts = await store.bodies(found.map((node) => node?.body ?? ''));
  const wrong = ids.filter((id, index) => texts[index] !== nodes.get(id));
  const problems = (await store.check()).filter(({ code }) => code !== 'torn-line');
  await store.close();
  if (wrong.length > 0) throw new Error(`The store does not find ${wrong.join(', ')}`);
  if (problems.length > 0) throw new Error(`The store reports ${JSON.stringify(problems)}`);
}
