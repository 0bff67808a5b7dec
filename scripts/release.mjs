// `npm run release -- 0.2.0`: sets the versions, closes the section of the changelog, checks everything, commits and tags.
// `npm run release -- --publish`: publishes the tagged commit with provenance, which npm attests in a continuous integration only.
// `--dry-run` with either of them: changes nothing and publishes nothing, and says what it would do.
import { fileURLToPath } from 'node:url';
import { planPublish, planRelease, prepareRelease, readChecks } from './release-steps.mjs';
import { npm, root, run, setUp } from './setup.mjs';

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2)) ? 0 : 1;

/** @param {readonly string[]} args */
function main(args) {
  const isDry = args.includes('--dry-run');
  const [version] = args.filter((arg) => !arg.startsWith('--'));
  if (!args.includes('--publish') && version === undefined) {
    console.error('Say which version: npm run release -- 0.2.0, or --publish to publish the tagged one.');
    return false;
  }
  const problems = readChecks(root, version, isDry);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0 || !setUp()) return false;
  return version === undefined ? publish(isDry) : release(version, isDry);
}

/** @param {string} version @param {boolean} isDry */
function release(version, isDry) {
  const date = new Date().toISOString().slice(0, 10);
  for (const line of planRelease(root, version, date)) console.log(line);
  if (isDry) return publish(true);
  prepareRelease(root, version, date);
  return (
    npm(['install', '--package-lock-only', '--no-audit', '--no-fund']) &&
    npm(['test']) &&
    run('git', ['commit', '--all', '--message', `release: ${version}`]) &&
    run('git', ['tag', `v${version}`])
  );
}

/** @param {boolean} isDry */
function publish(isDry) {
  return npm(planPublish(root, isDry));
}
