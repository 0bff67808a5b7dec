// `npm run test:long` runs this: axe judges every screen and state of the page in three widths and both themes, and none may be
// wider than its window. A further word selects states by parts of their names, with
// commas between them.
import { readFileSync } from 'node:fs';
import { ensureChromium } from './chromium.mjs';
import { build, root, setUp } from './setup.mjs';

if (!setUp() || !build() || !ensureChromium()) process.exit(1);
// Its dependencies exist only after the setup.
const { settle } = await import('./page-acts.mjs');
const { visitStates } = await import('./page-states.mjs');
const source = readFileSync(`${root}node_modules/axe-core/axe.min.js`, 'utf8');
const only = process.argv[2] ?? '';
/** Every rule in the light theme, and those that see colours in the dark one. */
const RULES = {
  light: { resultTypes: ['violations'] },
  dark: { resultTypes: ['violations'], runOnly: ['color-contrast', 'link-in-text-block'] },
};
/** @typedef {{ violations: { id: string, nodes: { target: unknown, failureSummary?: string }[] }[] }} Findings what axe found */
let count = 0;
const problems = await visitStates(only, async (page, name) => {
  const found = [];
  // The page's own rules forbid added scripts, so axe is run as text of this program.
  await page.evaluate(`${source}; undefined`);
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme });
    await settle(page);
    const { violations } = /** @type {Findings} */ (
      await page.evaluate(`axe.run(document, ${JSON.stringify(RULES[colorScheme])})`)
    );
    for (const { id, nodes } of violations)
      for (const { target, failureSummary } of nodes)
        found.push(`${name} ${colorScheme}: ${id}: ${target} ${failureSummary?.replaceAll(/\s+/g, ' ')}`);
    count += 1;
  }
  const excess = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  if (excess > 0) found.push(`${name}: it is ${excess} pixels wider than the window`);
  return found;
});
for (const problem of problems) console.log(problem);
console.log(`${count} states judged, ${problems.length} problems`);
process.exitCode = problems.length === 0 && count > 0 ? 0 : 1;
