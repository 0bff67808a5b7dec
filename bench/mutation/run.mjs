/**
 * Branch coverage of the areas, or with `--mutants` their mutation score. Reports are in `coverage/<area>`; `survivors.md` says why a
 * mutant that no test notices may live. `--only splice.ts` takes the files whose path contains that; `--left` judges only the mutants that
 * survived the last time or are new; `--longer` adds the tests that take longer; `--tests splice,parse` takes the tests
 * whose paths contain one of these, best before `--left` with all of them.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installFolder } from '../install.mjs';
import { AREAS } from './areas.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutants: { type: 'boolean' },
    only: { type: 'string' },
    left: { type: 'boolean' },
    longer: { type: 'boolean' },
    tests: { type: 'string' },
  },
});

installFolder(fileURLToPath(new URL('./', import.meta.url)));
for (const area of positionals.length > 0 ? positionals : Object.keys(AREAS)) {
  if (values.mutants) {
    // What it imports has just been installed.
    const { measureMutants } = await import('./mutants.mjs');
    const { only, tests, left = false, longer = false } = values;
    await measureMutants(area, { only, tests, left, longer });
  } else if (!measureBranches(area)) process.exitCode = 1;
}

/** @param {string} area */
function measureBranches(area) {
  const options = ['run', '-c', 'bench/mutation/vitest.config.ts', '--root', '.', '--coverage'];
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...options], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SKEIN_AREA: area },
  });
  return status === 0;
}
