// `npm run binary`: one executable file for this platform, with Node, the packages and the page in it.
import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packInstallation } from './binary/installation.mjs';
import { isBuilt } from './build-state.mjs';
import { build, root, run, setUp, tool } from './setup.mjs';

/** Where Node looks for the program in its own file: https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const folder = resolve(process.argv[2] ?? join(root, 'binary'));
const file = join(folder, process.platform === 'win32' ? 'skein.exe' : 'skein');

if (setUp() && (isBuilt() || build()) && makeBinary())
  console.log(`${file}: ${(statSync(file).size / 2 ** 20).toFixed(0)} MB, Node ${process.versions.node}`);
else process.exitCode = 1;

function makeBinary() {
  const work = join(folder, 'parts');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const { digest, archive } = packInstallation(root);
  writeFileSync(join(work, 'installation'), archive);
  writeFileSync(join(work, 'digest'), digest);
  const config = {
    main: join(root, 'scripts/binary/launcher.cjs'),
    output: join(work, 'blob'),
    disableExperimentalSEAWarning: true,
    assets: { installation: join(work, 'installation'), digest: join(work, 'digest') },
  };
  writeFileSync(join(work, 'config.json'), JSON.stringify(config));
  copyFileSync(process.execPath, file);
  const isMac = process.platform === 'darwin';
  const done =
    run(process.execPath, ['--experimental-sea-config', join(work, 'config.json')]) &&
    (!isMac || run('codesign', ['--remove-signature', file])) &&
    tool('postject', [
      ...[file, 'NODE_SEA_BLOB', config.output, '--sentinel-fuse', FUSE],
      ...(isMac ? ['--macho-segment-name', 'NODE_SEA'] : []),
    ]) &&
    (!isMac || run('codesign', ['--sign', '-', file]));
  rmSync(work, { recursive: true });
  return done;
}
