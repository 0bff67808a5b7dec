import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const KEPT = 1000;

/** What was typed, across runs. It is a comfort: where it cannot be kept, the conversation goes on without it. */
export interface History {
  /** Newest first, as readline wants it. */
  readonly lines: string[];
  add(line: string): void;
}

/** The file is for its owner alone: what people type is theirs. */
export function openHistory(file = historyFile(process.env)): History {
  const lines = read(file).slice(-KEPT).reverse();
  return {
    lines,
    add(line) {
      if (line.trim() === '' || line === lines[0]) return;
      lines.unshift(line);
      if (lines.length > KEPT) lines.pop();
      quietly(() => {
        mkdirSync(dirname(file), { recursive: true });
        appendFileSync(file, `${line}\n`, { mode: 0o600 });
      });
    },
  };
}

function historyFile(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'skein', 'chat-history');
}

function read(file: string): string[] {
  return (
    quietly(() => {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      if (lines.length > 2 * KEPT) shorten(file, lines.slice(-KEPT));
      else chmodSync(file, 0o600);
      return lines;
    }) ?? []
  );
}

function shorten(file: string, lines: readonly string[]): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${lines.join('\n')}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
