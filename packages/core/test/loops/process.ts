import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Job, Outcome } from './turn.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Turns of conversations, each in a new process: nothing but the saved text gets from one to the next. */
export interface Processes {
  turn(job: Job): Promise<Outcome>;
  close(): Promise<void>;
}

/** Bundles the script from the sources, so that no build is needed. */
export async function processes(): Promise<Processes> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-turn-'));
  const outfile = join(folder, 'turn.mjs');
  await build({
    entryPoints: [path('turn.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    alias: { '@skein/core/dialect': path('../../src/dialect.ts'), '@skein/core': path('../../src/index.ts') },
    // Signers of requests, which these turns do not need.
    external: ['@aws-crypto/*', '@smithy/*', 'google-auth-library'],
    logLevel: 'error',
  });
  return {
    turn: (job) => inNewProcess(outfile, job),
    close: () => rm(folder, { recursive: true }),
  };
}

async function inNewProcess(script: string, job: Job): Promise<Outcome> {
  const child = spawn(process.execPath, [script], { stdio: 'pipe' });
  child.stdin.end(JSON.stringify(job));
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`The turn failed: ${errors}`);
  return JSON.parse(output) as Outcome;
}
