import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Where the files of the page are; undefined while it has not been built. */
export function pageFolder(): string | undefined {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@skein/web/package.json')), 'dist');
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}
