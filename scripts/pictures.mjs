// `npm run pictures`: makes the pictures of the README from a seeded forest; only the time differs between runs.
import { mkdirSync } from 'node:fs';
import { ensureChromium } from './chromium.mjs';
import { build, root, setUp } from './setup.mjs';

const folder = `${root}docs/pictures`;
if (setUp() && build() && ensureChromium()) await makePictures();
else process.exitCode = 1;

async function makePictures() {
  // Its dependencies exist only after the setup.
  const { takePictures } = await import('./take-pictures.mjs');
  mkdirSync(folder, { recursive: true });
  for (const name of await takePictures(folder)) console.log(`docs/pictures/${name}`);
}
