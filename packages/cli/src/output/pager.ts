import { spawn } from 'node:child_process';
import { textWidth } from './width.ts';

/** Shows a long text. Injected in tests. */
export interface Screen {
  readonly isTerminal: boolean;
  readonly rows: number;
  readonly columns: number;
  readonly env: NodeJS.ProcessEnv;
}

/** The command that shows long output: as git chooses it. Undefined if nothing does. */
export function pagerCommand({ isTerminal, env }: Pick<Screen, 'isTerminal' | 'env'>): string | undefined {
  if (!isTerminal || env.TERM === 'dumb') return undefined;
  const chosen = env.SKEIN_PAGER ?? env.PAGER ?? 'less';
  return chosen.trim() === '' || chosen.trim() === 'cat' ? undefined : chosen;
}

/** Whether a text has more lines than the screen, where a long line takes several. */
export function isLong(text: string, { rows, columns }: Pick<Screen, 'rows' | 'columns'>): boolean {
  let lines = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no columns
  for (const line of text.replace(/\x1b\[[\d;]*m/g, '').split('\n')) {
    lines += Math.max(1, Math.ceil(textWidth(line) / columns));
    if (lines > rows) return true;
  }
  return false;
}

/** Shows a text in the pager until the user leaves it. Returns false if the pager did not start. */
export async function showInPager(command: string, text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  // Colours stay, a short text is only printed, and the screen is left as it is: as git does.
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { LESS: 'FRX', ...env } });
  const ignore = () => undefined;
  // The pager owns Ctrl+C while it runs.
  process.on('SIGINT', ignore);
  // Who leaves the pager early closes the pipe.
  child.stdin.on('error', ignore);
  child.stdin.end(text);
  try {
    return await new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false));
      // A shell says 127 when there is no such command.
      child.once('close', (code) => resolve(code !== 127));
    });
  } finally {
    process.removeListener('SIGINT', ignore);
  }
}
