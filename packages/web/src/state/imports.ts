import { create } from 'zustand';
import {
  type FolderFile,
  type ImportHints,
  type ImportProgress,
  type ImportReport,
  importFile,
  importFolder,
} from '../api/imports.ts';
import { queryClient } from '../api/queries.ts';

export type ImportSource =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'folder'; readonly name: string; readonly files: readonly FolderFile[] };

/** One import, until its card is dismissed. */
export interface ImportJob {
  readonly id: number;
  readonly source: ImportSource;
  readonly progress?: ImportProgress;
  readonly result?: ImportReport;
  readonly error?: unknown;
}

export const useImports = create<{ readonly jobs: readonly ImportJob[] }>(() => ({ jobs: [] }));

let last = 0;

export function startImport(source: ImportSource): void {
  const id = ++last;
  useImports.setState(({ jobs }) => ({ jobs: [{ id, source }, ...jobs] }));
  void run(id, source, {});
}

/** Repeats an import with hints about the format of the file. */
export function importAgain({ id, source }: ImportJob, hints: ImportHints): void {
  useImports.setState(({ jobs }) => ({ jobs: jobs.map((job) => (job.id === id ? { id, source } : job)) }));
  void run(id, source, hints);
}

export function dismissImport(id: number): void {
  useImports.setState(({ jobs }) => ({ jobs: jobs.filter((job) => job.id !== id) }));
}

async function run(id: number, source: ImportSource, hints: ImportHints): Promise<void> {
  const onProgress = (progress: ImportProgress) => change(id, { progress });
  try {
    const imported =
      source.kind === 'file' ? importFile(source.file, hints, onProgress) : importFolder(source.files, onProgress);
    change(id, { result: await imported });
  } catch (error) {
    change(id, { error });
  }
  await queryClient.invalidateQueries({ queryKey: ['threads'] });
}

function change(id: number, news: Partial<ImportJob>): void {
  useImports.setState(({ jobs }) => ({ jobs: jobs.map((job) => (job.id === id ? { ...job, ...news } : job)) }));
}
