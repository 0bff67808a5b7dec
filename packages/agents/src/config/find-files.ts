import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NAMES = ['yaml', 'yml', 'toml', 'json'].map((extension) => `skein.config.${extension}`);

/** The configuration files of a folder; there should be one at most. */
export function configFilesIn(folder: string): string[] {
  return NAMES.map((name) => join(folder, name)).filter((path) => existsSync(path));
}

/**
 * The project's folder: the nearest one with a configuration, from here up to the root of the git repository. Outside
 * of one only this folder counts: what lies further above may be anybody's, and a configuration can start programs.
 */
export function projectFolder(cwd: string): string {
  const folders = upToRepository(cwd);
  return folders.find((folder) => configFilesIn(folder).length > 0) ?? cwd;
}

function upToRepository(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) return [cwd];
  }
}
