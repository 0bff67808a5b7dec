import { isSkeinError, type SkeinErrorCode } from '@skein/core';

/** What Node says of a failed system call. */
interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
  readonly port?: number;
}

/** What to do about an error, by its code. */
const HINTS: Readonly<Partial<Record<SkeinErrorCode, string>>> = {
  authentication: 'Is the key right? "skein models" says which variable holds it.',
  permission: 'Is it the right key? "skein models" says which variable holds it.',
  not_found: '"skein models" with the name of a provider lists its models.',
  connection: '"skein doctor" shows the addresses.',
  store_read_only: '--store takes another place.',
  unknown_format: '--format and --dialect say it.',
  dialect_needed: '--dialect says it.',
  store_unreachable: 'Is it running? "skein doctor" looks.',
};

/** An error in words: what went wrong, and what to do where that is known. */
export function errorText(error: unknown): string {
  if (isSystemError(error)) return systemText(error);
  const message = error instanceof Error ? error.message : String(error);
  return isSkeinError(error) ? withHint(message, error.code) : message;
}

export function withHint(message: string, code: string): string {
  const hint = Object.hasOwn(HINTS, code) ? HINTS[code as SkeinErrorCode] : undefined;
  return hint === undefined ? message : `${message} ${hint}`;
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && 'syscall' in error && typeof error.code === 'string';
}

function systemText({ code, path, port, message }: SystemError): string {
  if (code === 'EADDRINUSE') return `Port ${port} is taken. Is Skein running already? --port takes another.`;
  if (path === undefined) return message;
  if (code === 'ENOENT') return `There is no ${path}.`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `${path} may not be used (${code}): change its permissions, or give another path.`;
  if (code === 'EISDIR') return `${path} is a folder, and a file is needed.`;
  if (code === 'ENOTDIR') return `${path} cannot be there: something above it is a file.`;
  return message;
}
