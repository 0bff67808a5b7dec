// `npm run pictures`: makes the pictures of the README from a seeded forest; only the time differs between runs.
// With `--all`, takes every screen and state to look at, into a folder that can be named; a further word selects states by name.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { ensureChromium } from './chromium.mjs';
import { build, root, setUp } from './setup.mjs';

const folder = `${root}docs/pictures`;
const [, , all, into = `${tmpdir()}/skein-pictures`, only] = process.argv;
if (setUp() && build() && ensureChromium()) await (all === '--all' ? takeAll() : makePictures());
else process.exitCode = 1;

async function makePictures() {
  // Its dependencies exist only after the setup.
  const { takePictures } = await import('./take-pictures.mjs');
  mkdirSync(folder, { recursive: true });
  for (const name of await takePictures(folder)) console.log(`docs/pictures/${name}`);
}

async function takeAll() {
  const { takeAllPictures } = await import('./all-pictures.mjs');
  const names = await takeAllPictures(into, only);
  console.log(`${names.length} pictures in ${into}`);
}
