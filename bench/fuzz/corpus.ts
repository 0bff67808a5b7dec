import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('corpus', import.meta.url));

/** Texts that once made a target fail, as JSON strings: half characters and line ends survive in a repository so. */
export function saved(target: string): readonly { readonly file: string; readonly text: string }[] {
  const own = join(folder, target);
  if (!existsSync(own)) return [];
  return readdirSync(own).map((file) => ({ file, text: JSON.parse(readFileSync(join(own, file), 'utf8')) as string }));
}

export function save(target: string, text: string): string {
  const name = `${createHash('sha256').update(JSON.stringify(text)).digest('hex').slice(0, 12)}.json`;
  mkdirSync(join(folder, target), { recursive: true });
  writeFileSync(join(folder, target, name), `${JSON.stringify(text)}\n`);
  return join('bench/fuzz/corpus', target, name);
}
