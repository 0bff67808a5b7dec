/**
 * Branch coverage of the areas, or with `--mutants` their mutation score. Reports are in `coverage/<area>`; `survivors.md` says
 * why a mutant that no test notices may live. `--only splice.ts` takes one file.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installFolder } from '../install.mjs';
import { AREAS } from './areas.mjs';

const folder = fileURLToPath(new URL('./', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { mutants: { type: 'boolean' }, only: { type: 'string' } },
});

installFolder(folder);
const coverage = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '-c',
  'bench/mutation/vitest.config.ts',
  '--root',
  '.',
  '--coverage',
];
const mutants = [
  'bench/mutation/node_modules/@stryker-mutator/core/bin/stryker.js',
  'run',
  'bench/mutation/stryker.config.mjs',
];
for (const area of positionals.length > 0 ? positionals : Object.keys(AREAS)) {
  const { status } = spawnSync(process.execPath, values.mutants ? mutants : coverage, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SKEIN_AREA: area, SKEIN_ONLY: values.only ?? '' },
  });
  if (status !== 0) process.exitCode = 1;
}
