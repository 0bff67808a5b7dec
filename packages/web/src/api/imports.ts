import type { InferResponseType } from 'hono/client';
import { t } from '../words/words.ts';
import { apiBase } from './base.ts';
import type { api } from './client.ts';
import { readEvents } from './event-streams.ts';
import { ApiProblem, reach, readProblem } from './problem.ts';

export type ImportReport = InferResponseType<(typeof api)['import']['$post'], 200>;

export interface ImportProgress {
  /** Characters of a file, or the number of files of a folder. */
  readonly read: number;
  readonly elements: number;
  readonly messages: number;
  readonly problems: number;
}

/** What the reader says about a file whose format cannot be detected. */
export interface ImportHints {
  readonly format?: string;
  readonly dialect?: string;
}

/** A file of a folder, with its path relative to that folder. */
export interface FolderFile {
  readonly path: string;
  readonly file: File;
}

export function importFile(file: File, hints: ImportHints, onProgress: (progress: ImportProgress) => void) {
  const query = new URLSearchParams(Object.entries(hints));
  return send(`/import?${query}`, file, { 'content-type': 'application/octet-stream' }, onProgress);
}

export function importFolder(files: readonly FolderFile[], onProgress: (progress: ImportProgress) => void) {
  const form = new FormData();
  for (const { path, file } of files) form.append('files', file, path);
  return send('/import/folder', form, {}, onProgress);
}

async function send(
  path: string,
  body: BodyInit,
  headers: Readonly<Record<string, string>>,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportReport> {
  const response = await reach(
    fetch(`${apiBase}${path}`, { method: 'POST', body, headers: { ...headers, accept: 'text/event-stream' } }),
  );
  if (!response.ok) throw await readProblem(response);
  for await (const { event, data } of readEvents(response)) {
    if (event === 'progress') onProgress(JSON.parse(data) as ImportProgress);
    if (event === 'done') return JSON.parse(data) as ImportReport;
    if (event === 'failed') {
      const { status, code, detail } = JSON.parse(data) as { status: number; code: string; detail: string };
      throw new ApiProblem(status, code, detail);
    }
  }
  throw new ApiProblem(0, 'connection', t('api.import-cut'));
}
