import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('corpus', import.meta.url));

/** Texts that once made a target fail, as JSON strings, so that lone surrogates and line ends survive in a repository. */
export function saved(target: string): readonly { readonly file: string; readonly text: string }[] {
  const own = folderOf(target);
  if (!existsSync(own)) return [];
  return readdirSync(own).map((file) => ({ file, text: JSON.parse(readFileSync(join(own, file), 'utf8')) as string }));
}

export function save(target: string, text: string): string {
  const name = `${createHash('sha256').update(JSON.stringify(text)).digest('hex').slice(0, 12)}.json`;
  mkdirSync(folderOf(target), { recursive: true });
  writeFileSync(join(folderOf(target), name), `${JSON.stringify(text)}\n`);
  return join('bench/fuzz/corpus', basename(folderOf(target)), name);
}

function folderOf(target: string): string {
  return join(folder, target.toLowerCase().replaceAll(' ', '-'));
}
