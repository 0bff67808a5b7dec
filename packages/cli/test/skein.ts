import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { command } from '../../../scripts/installed-packages.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** What it printed, as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: documents are looked at by the tests, field by field
  json(): any;
}

/** Runs the built binary in an empty environment, at home in a folder. */
export async function skein(
  home: string,
  args: readonly string[],
  input: string | Uint8Array = '',
  env: object = {},
): Promise<Ran> {
  const child = start(home, args, env);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err, json: () => JSON.parse(out) };
}

/** The same for whoever stops reading before anything came, as the last program of a pipe may. Gives the exit code. */
export async function skeinUnread(home: string, args: readonly string[], unread: readonly ('stdout' | 'stderr')[]) {
  const child = start(home, args);
  child.stdin.end();
  for (const name of unread) child[name].destroy();
  return new Promise<number | null>((resolve) => child.once('exit', resolve));
}

/** Starts the built binary in an empty environment, at home in a folder. */
export function start(home: string, args: readonly string[], env: object = {}) {
  return spawn(process.execPath, [command, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...env },
  });
}
