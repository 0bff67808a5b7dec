import type { Store } from '../store.ts';
import { StoreError, type StoreErrorCode } from '../store-error.ts';

type Meaning = readonly [code: StoreErrorCode, what: string, advice: string];

const FULL: Meaning = ['store_full', 'has no space left on its disk', 'Make room, then repeat.'];
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: ['store_read_only', 'is on a disk that is read-only', 'Use another folder.'],
  EACCES: ['store_read_only', 'may not be used by this user', 'Change its owner or its permissions.'],
  EPERM: ['store_read_only', 'may not be used by this user', 'Change its owner or its permissions.'],
  ENOENT: ['store_failed', 'is gone, or is a link to nothing', 'Remove the link, or bring the file back.'],
  ELOOP: ['store_failed', 'is a link that leads to itself', 'Remove the link.'],
  EISDIR: ['store_failed', 'is a folder, and a file is needed', 'Move the folder away.'],
  ENOTDIR: ['store_failed', 'cannot be there: something above it is a file', 'Give another folder.'],
  EEXIST: ['store_failed', 'cannot be made: a file has its name', 'Move the file away, or give another folder.'],
  ENAMETOOLONG: ['store_failed', 'has too long a name', 'Give a shorter folder.'],
  EMFILE: ['store_failed', 'cannot be opened: too many files are open', 'Raise the limit (ulimit -n).'],
  ENFILE: ['store_failed', 'cannot be opened: too many files are open', 'Close other programs.'],
  EIO: ['store_failed', 'cannot be read or written: the disk reports an error', 'Check the disk.'],
};

/** The code of a failed call of the system; empty for any other error. */
export function systemCode(error: unknown): string {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  return typeof code === 'string' && (typeof syscall === 'string' || Object.hasOwn(MEANINGS, code)) ? code : '';
}

/** What a failed call says about a file, without advice. */
export function meaningOf(error: unknown): string {
  const code = systemCode(error);
  const meaning = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  return meaning ? `${meaning[1]} (${code})` : `failed (${(error as Error | null)?.message ?? String(error)})`;
}

/** A failed call in words: what is wrong with which file, what that means for the caller, and what to do. */
export function fileError(error: unknown, path: string, effect = ''): StoreError {
  if (error instanceof StoreError) return error;
  const code = systemCode(error);
  const [kind, , advice] = (Object.hasOwn(MEANINGS, code) && MEANINGS[code]) || (['store_failed', '', ''] as const);
  const words = [`${path} ${meaningOf(error)}.`, effect, advice].filter((part) => part !== '');
  return new StoreError(kind, words.join(' '), error);
}

/** The same store, whose failed calls of the system are told in words. */
export function inWords(store: Store, folder: string): Store {
  const told = Object.entries(store).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member];
    return [
      name,
      (...given: unknown[]) => {
        const answer: unknown = member.apply(store, given);
        return answer instanceof Promise ? answer.catch((error: unknown) => tell(error, folder)) : answer;
      },
    ];
  });
  return Object.fromEntries(told) as Store;
}

/** Throws it again, in words where the system failed. */
export function tell(error: unknown, folder: string): never {
  if (systemCode(error) === '') throw error;
  throw fileError(error, (error as { path?: string }).path ?? folder);
}
