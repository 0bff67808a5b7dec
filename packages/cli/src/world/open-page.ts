import { spawn } from 'node:child_process';

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly isTerminal: boolean;
}

/** Whether a browser that opens now would be seen by the person who started this. */
export function mayOpen({ env, platform, isTerminal }: Surroundings): boolean {
  if (!isTerminal || env.CI || env.SSH_CONNECTION || env.SSH_TTY) return false;
  // Without a screen, xdg-open would start a browser for text inside this terminal.
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Shows an address in the browser. It is a comfort: where that does not work, nobody needs to know. */
export function openPage(url: string, platform: NodeJS.Platform = process.platform): void {
  const [program, args] = openerOf(platform, url);
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.once('error', () => undefined);
  child.unref();
}

export function openerOf(platform: NodeJS.Platform, url: string): [program: string, args: string[]] {
  if (platform === 'darwin') return ['open', [url]];
  // `start` is part of cmd, and takes what comes first for a title.
  if (platform === 'win32') return ['cmd', ['/c', 'start', '', url]];
  return ['xdg-open', [url]];
}
