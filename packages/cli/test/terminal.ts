import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { command } from '../../../scripts/installed-packages.ts';

const open = new Map<IPty, Promise<number>>();

/** Ends what is still open. To be awaited before its home is removed: it may be writing there. */
export async function closeTerminals(): Promise<void> {
  for (const [pty, ended] of open) {
    pty.kill('SIGKILL');
    await ended;
  }
}

/** The binary in a terminal of its own, driven as a person does: look, then type. */
export interface Terminal {
  /** Everything so far, with colours. */
  readonly raw: string;
  /** Resolves with what came up to the pattern, from behind the last one that was waited for. */
  see(pattern: RegExp): Promise<string>;
  type(text: string): void;
  readonly ended: Promise<number>;
}

export function openTerminal(home: string, args: readonly string[], env: Record<string, string> = {}): Terminal {
  const pty = spawn(process.execPath, [command, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm-256color', ...env },
    cols: 100,
    rows: 40,
  });
  let raw = '';
  let seen = 0;
  let look = () => {};
  pty.onData((data) => {
    raw += data;
    look();
  });
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      open.delete(pty);
      resolve(exitCode);
    });
  });
  open.set(pty, ended);
  const plain = () => stripVTControlCharacters(raw).replaceAll('\r\n', '\n');
  return {
    get raw() {
      return raw;
    },
    ended,
    type: (text) => pty.write(text),
    see: (pattern) =>
      new Promise((resolve, reject) => {
        const fail = () =>
          reject(new Error(`${pattern} did not come. There is: ${JSON.stringify(plain().slice(seen))}`));
        look = () => {
          const text = plain().slice(seen);
          const match = pattern.exec(text);
          if (!match) return;
          look = () => {};
          seen += match.index + match[0].length;
          resolve(text.slice(0, match.index + match[0].length));
        };
        ended.then(() => setImmediate(fail));
        look();
      }),
  };
}
