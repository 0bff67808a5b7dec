import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Turn {
  readonly path?: string;
  readonly request: Readonly<Record<string, unknown>> | null;
  readonly response: unknown;
  readonly status?: number | null;
}

export interface Recording {
  readonly id: string;
  readonly provider: string;
  readonly protocol: string;
  readonly model?: string | null;
  readonly turns: readonly Turn[];
}

const root = process.env.SKEIN_CORPUS ?? fileURLToPath(new URL('../../../../../shared/corpus', import.meta.url));

/** The recordings of one folder; none, with a note, on machines without the corpus. */
export function recordings(folder: string): readonly Recording[] {
  const path = join(root, folder);
  if (!existsSync(path)) {
    console.log(`no corpus at ${path}: nothing replayed`);
    return [];
  }
  const files = readdirSync(path).filter((name) => name.endsWith('.json'));
  return files.map((name) => JSON.parse(readFileSync(join(path, name), 'utf8')) as Recording);
}

export const succeeded = ({ status }: Turn): boolean =>
  status === undefined || status === null || (status >= 200 && status < 300);
