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
  /** The threads of this import so far. */
  readonly threads: ReadonlySet<string>;
  done(counts: { readonly elements: number; readonly messages: number; readonly added: number }): void;
  thread(id: string): void;
  problem(where: string, error: unknown): void;
  /** A conversation without messages: nothing is written, and nothing is wrong. */
  empty(): void;
  /** A file that messages name, and that the export does not have. */
  missingFile(name: string): void;
  result(format: string): ImportResult;
}

export function createImportTracker({ onProgress }: ImportOptions, read: () => number): ImportTracker {
  const threads = new Set<string>();
  const problems: ImportProblem[] = [];
  let elements = 0;
  let messages = 0;
  let added = 0;
  let empty = 0;
  const missing = new Set<string>();
  const tell = () => onProgress?.({ read: read(), elements, messages, problems: problems.length });
  return {
    threads,
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
    empty() {
      empty += 1;
    },
    missingFile(name) {
      missing.add(name);
    },
    result(format) {
      tell();
      const notes = [
        ...(empty > 0 ? [`${empty} without any message: left out.`] : []),
        ...(missing.size > 0
          ? [`${missing.size} of the files that messages name are not in the export, such as ${[...missing][0]}.`]
          : []),
      ];
      return { format, threads: [...threads], elements, messages, added, problems, notes };
    },
  };
}
