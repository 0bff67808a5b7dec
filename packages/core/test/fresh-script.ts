import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { build } from 'esbuild';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** What a bundled script defines: one job, from JSON to JSON. */
interface Definitions<Input, Output> {
  answer?(input: Input): Promise<Output>;
}

/** A script of ours of which no run finds anything that an earlier one left behind in memory. */
export interface FreshScript<Input, Output> {
  /** Runs it with all modules evaluated anew. It differs from a new process only in what Node itself keeps. */
  run(input: Input): Promise<Output>;
  /** Runs it in a new process, which takes twenty times as long. */
  runInProcess(input: Input): Promise<Output>;
  close(): Promise<void>;
}

/** Bundles a module that exports `answer` from the sources, so that no build is needed. */
export async function bundleScript<Input, Output>(entry: string): Promise<FreshScript<Input, Output>> {
  const {
    outputFiles: [bundle],
  } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    alias: { '@skein/core/dialect': path('../src/dialect.ts'), '@skein/core': path('../src/index.ts') },
    // Signers of requests, which these scripts do not need.
    external: ['@aws-crypto/*', '@smithy/*', 'google-auth-library'],
    logLevel: 'error',
  });
  const folder = await mkdtemp(join(tmpdir(), 'skein-script-'));
  const file = join(folder, 'script.cjs');
  await writeFile(file, bundle!.contents);
  const evaluate = new Script(`(function (module, exports, require) {${bundle!.text}\n})`, {
    filename: file,
  }).runInThisContext() as (module: object, exports: object, require: NodeJS.Require) => void;
  const require = createRequire(import.meta.url);
  return {
    async run(input) {
      const module: { exports: Definitions<Input, Output> } = { exports: {} };
      evaluate(module, module.exports, require);
      // As text, as between processes.
      return copy(await module.exports.answer!(copy(input)));
    },
    runInProcess: (input) => runInProcess(file, input),
    close: () => rm(folder, { recursive: true }),
  };
}

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const MAIN = `
  require('node:stream/consumers').json(process.stdin)
    .then(require(process.argv[1]).answer)
    .then((output) => process.stdout.write(JSON.stringify(output)))`;

async function runInProcess<Output>(file: string, input: unknown): Promise<Output> {
  const child = spawn(process.execPath, ['-e', MAIN, file], { stdio: 'pipe' });
  child.stdin.end(JSON.stringify(input));
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`The script failed: ${errors}`);
  return JSON.parse(output) as Output;
}
