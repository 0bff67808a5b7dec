import { resolve } from 'node:path';
import type { KeyPath } from '../files/document.ts';
import type { Report } from '../files/shape.ts';
import type { McpServerConfig } from './types.ts';
import type { WrittenServer } from './written.ts';

/** A server as it was written: either a program or an address. */
export function mcpServerOf(
  written: Partial<WrittenServer>,
  folder: string,
  path: KeyPath,
  report: Report,
): McpServerConfig | undefined {
  const { command, url, args, env, cwd, headers } = written;
  const common = {
    callSeconds: written.call_seconds ?? 60,
    startSeconds: written.start_seconds ?? 30,
    approve: written.approve ?? 'annotations',
  };
  if ((command === undefined) === (url === undefined)) {
    const fix = 'Write "command" (and "args") for a program, or "url" for a server that is reached over HTTP.';
    const message =
      command === undefined ? 'There is neither a command nor an address.' : 'There are a command and an address.';
    report(path, 'missing-key', message, fix);
    return undefined;
  }
  if (command !== undefined) {
    if (headers) return misplaced('headers', 'url', path, report);
    return { kind: 'stdio', ...common, command, args: args ?? [], env: env ?? {}, cwd: resolve(folder, cwd ?? '.') };
  }
  const [extra] = Object.entries({ args, env, cwd }).filter(([, given]) => given !== undefined);
  if (extra) return misplaced(extra[0], 'command', path, report);
  return { kind: 'http', ...common, url: url!, headers: headers ?? {} };
}

function misplaced(key: string, belongsTo: string, path: KeyPath, report: Report): undefined {
  report([...path, key], 'wrong-value', `"${key}" has no meaning without "${belongsTo}".`, 'Remove it.');
}
