// `npm run pictures -- --all [folder]`: every screen and state in both themes and three widths, to look at.
import { mkdirSync } from 'node:fs';
import { settle } from './page-acts.mjs';
import { visitStates } from './page-states.mjs';

/**
 * @param {string} folder
 * @param {string} [only] parts of the names of the states to take, with commas between them
 */
export async function takeAllPictures(folder, only = '') {
  mkdirSync(folder, { recursive: true });
  /** @type {string[]} */
  const names = [];
  const problems = await visitStates(only, async (page, name) => {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme });
      await settle(page);
      const file = `${name}-${colorScheme}.png`;
      await page.screenshot({ path: `${folder}/${file}` });
      names.push(file);
    }
  });
  for (const problem of problems) console.log(problem);
  return names;
}
