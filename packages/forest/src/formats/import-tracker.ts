import type { ImportOptions, ImportResult } from './import-file.ts';

/** An element that could not be imported. */
export interface ImportProblem {
  readonly code: string;
  /** Such as `line 3`, `element 2` or a file's name. */
  readonly where: string;
  readonly message: string;
}

/** Counts what an import does and reports its progress. */
export interface ImportTracker {
  done(counts: { readonly elements: number; readonly messages: number; readonly added: number }): void;
  thread(id: string): void;
  problem(where: string, error: unknown): void;
  result(format: string): ImportResult;
}

export function createImportTracker({ onProgress }: ImportOptions, read: () => number): ImportTracker {
  const threads = new Set<string>();
  const problems: ImportProblem[] = [];
  let elements = 0;
  let messages = 0;
  let added = 0;
  const tell = () => onProgress?.({ read: read(), elements, messages, problems: problems.length });
  return {
    done(counts) {
      elements += counts.elements;
      messages += counts.messages;
      added += counts.added;
      tell();
    },
    thread(id) {
      threads.add(id);
    },
    problem(where, error) {
      const { code, message } = error as { code?: unknown; message?: unknown };
      problems.push({ code: typeof code === 'string' ? code : 'unreadable', where, message: String(message ?? error) });
    },
    result(format) {
      tell();
      return { format, threads: [...threads], elements, messages, added, problems };
    },
  };
}
