// Finds the Chromium that the browser tests run in. On Debian, as root, it installs a missing one.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export const howToInstall =
  'Chromium was not found. Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH to its program.';

/** First the one without windows, which opens a page in two thirds of the time. */
const usualPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of a Chromium on this machine. */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  return (named ? [named] : usualPaths).find((path) => existsSync(path));
}

/** The same, after installing it if possible; otherwise prints the reason and returns undefined. */
export function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  if (canInstall()) {
    console.log('Installing Chromium (apt-get)');
    apt(['update', '-qq']) && (install('chromium-headless-shell') || install('chromium'));
  }
  const path = findChromium();
  if (!path) console.error(howToInstall);
  return path;
}

function canInstall() {
  return !process.env.CHROMIUM_PATH && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** @param {string} name of a package */
function install(name) {
  return apt(['install', '-y', '-qq', '--no-install-recommends', name]);
}

/** @param {readonly string[]} args */
function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stdout, stderr } = spawnSync('apt-get', args, { env, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) console.error(`apt-get ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`);
  return status === 0;
}
