// What registries and compilers make of each package: publint and attw. `npm run test:long` runs this file.
import { publishOrder } from './packages.mjs';
import { build, setUp, tool } from './setup.mjs';

const typed = ['--pack', '--profile', 'esm-only', '--format', 'table', '--no-summary'];
const failed = [];
if (!setUp() || !build({ types: true })) failed.push('the build');
else {
  process.env.SKEIN_BUILT = 'true';
  for (const { folder } of publishOrder()) {
    const isPublishable = tool('publint', ['--strict'], folder);
    const hasRightTypes = tool('@arethetypeswrong/cli', typed, folder);
    if (!isPublishable || !hasRightTypes) failed.push(folder);
  }
}
for (const folder of failed) console.log(`FAILED: ${folder}`);
process.exitCode = failed.length === 0 ? 0 : 1;
