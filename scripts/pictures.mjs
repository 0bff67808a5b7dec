// `npm run pictures`: makes the pictures of the README from a seeded forest, the same each time but for the clock.
import { mkdirSync } from 'node:fs';
import { ensureChromium } from './chromium.mjs';
import { build, root, setUp } from './setup.mjs';

const folder = `${root}docs/pictures`;
if (setUp() && build() && ensureChromium()) await makePictures();
else process.exitCode = 1;

async function makePictures() {
  // What they need is there only after the set-up.
  const { takePictures } = await import('./take-pictures.mjs');
  mkdirSync(folder, { recursive: true });
  for (const name of await takePictures(folder)) console.log(`docs/pictures/${name}`);
}
