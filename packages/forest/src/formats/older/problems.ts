import type { Problem } from '../../store/index.ts';

/** Files that cannot be read, by name: each once, and no longer when it was put right. */
export interface FileProblems {
  report(file: string, error: unknown): void;
  settle(file: string): void;
  list(): Problem[];
}

export function createFileProblems(): FileProblems {
  const problems = new Map<string, Problem>();
  return {
    report(file, error) {
      problems.set(file, { code: 'unreadable-file', where: file, message: (error as Error).message });
    },
    settle: (file) => problems.delete(file),
    list: () => [...problems.values()],
  };
}
