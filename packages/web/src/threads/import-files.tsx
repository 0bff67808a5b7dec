import { useQuery } from '@tanstack/react-query';
import { CircleCheck, FileDown, File as FileIcon, FolderOpen, Import, X } from 'lucide-react';
import { type ChangeEvent, type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { create } from 'zustand';
import {
  type FolderFile,
  type ImportHints,
  type ImportProgress,
  type ImportReport,
  importFile,
  importFolder,
} from '../api/imports.ts';
import { queries, queryClient } from '../api/queries.ts';
import { useCommandList } from '../commands/registry.ts';
import { toAddress } from '../state/address.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ChoiceField } from '../ui/field.tsx';
import { bytes } from '../ui/format.ts';
import { Menu } from '../ui/menu.tsx';
import { toastError } from '../ui/toasts.tsx';
import { t, tx } from '../words/words.ts';
import { useDialectChoices } from './export-dialog.tsx';

/** A button to choose files or a folder to import. */
export function ImportButton() {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  // React does not know this attribute.
  useEffect(() => folder.current?.setAttribute('webkitdirectory', ''), []);
  const chooseFiles = () => files.current?.click();
  const chooseFolder = () => folder.current?.click();
  useCommandList([
    {
      id: 'import-files',
      title: t('import.command-files'),
      group: 'forest',
      words: t('import.command-files-words'),
      run: chooseFiles,
    },
    {
      id: 'import-folder',
      title: t('import.command-folder'),
      group: 'forest',
      words: t('import.command-folder-words'),
      run: chooseFolder,
    },
  ]);
  const take = (event: ChangeEvent<HTMLInputElement>, isFolder: boolean) => {
    const chosen = [...(event.target.files ?? [])];
    const whole = isFolder ? toFolder(chosen) : undefined;
    if (whole) startImport(whole);
    if (!isFolder) for (const file of chosen) startImport({ kind: 'file', file });
    event.target.value = '';
  };
  return (
    <>
      <Menu
        trigger={
          <Button className="max-sm:min-w-11">
            <Import size={14} aria-hidden />
            <span className="max-sm:sr-only">{t('import.title')}</span>
          </Button>
        }
        items={[
          { title: t('import.files'), icon: <FileIcon size={14} />, run: chooseFiles },
          { title: t('import.folder'), icon: <FolderOpen size={14} />, run: chooseFolder },
        ]}
      />
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t('import.files-field')}
        onChange={(event) => take(event, false)}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label={t('import.folder-field')}
        onChange={(event) => take(event, true)}
      />
    </>
  );
}

/** Imports files and folders that are dropped on it. */
export function DropZone({ children }: { readonly children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  const depth = useRef(0);
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  const enter = (event: DragEvent, by: 1 | -1) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth.current = Math.max(0, depth.current + by);
    setOver(depth.current > 0);
  };
  const drop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    readDropped(event.dataTransfer).then((sources) => sources.forEach(startImport), toastError);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the Import button is the first
    <div
      className="relative h-full"
      onDragEnter={(event) => enter(event, 1)}
      onDragLeave={(event) => enter(event, -1)}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={drop}
    >
      {children}
      {isOver && (
        <div className="pointer-events-none absolute inset-2 z-30 flex flex-col items-center justify-center gap-2 rounded-xl border-2 border-dashed border-accent bg-accent-soft/90 p-6 text-center text-accent">
          <FileDown size={32} aria-hidden />
          <p className="font-semibold">{t('import.drop')}</p>
          <p className="text-sm">{t('import.drop-about')}</p>
        </div>
      )}
    </div>
  );
}

/** Reads what was dropped. Entries must be taken before the event ends; their content is read afterwards. */
function readDropped(data: DataTransfer): Promise<readonly ImportSource[]> {
  const dropped = [...data.items].flatMap((item): (FileSystemDirectoryEntry | File)[] => {
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    return entry?.isDirectory ? [entry as FileSystemDirectoryEntry] : file ? [file] : [];
  });
  return Promise.all(
    dropped.map(async (one): Promise<ImportSource> => {
      if (one instanceof File) return { kind: 'file', file: one };
      return { kind: 'folder', name: one.name, files: await filesBelow(one, '') };
    }),
  );
}

/** The folder of a file field: its files have a path that begins with the name of the folder. */
function toFolder(files: readonly File[]): ImportSource | undefined {
  const [first] = files;
  if (!first) return undefined;
  const name = first.webkitRelativePath.split('/')[0] ?? first.name;
  const inside = files.map((file) => ({
    file,
    path: file.webkitRelativePath.split('/').slice(1).join('/') || file.name,
  }));
  return { kind: 'folder', name, files: inside };
}

async function filesBelow(folder: FileSystemDirectoryEntry, path: string): Promise<FolderFile[]> {
  const found: FolderFile[] = [];
  for (const entry of await readFolder(folder)) {
    const place = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory) found.push(...(await filesBelow(entry as FileSystemDirectoryEntry, place)));
    else found.push({ path: place, file: await readFile(entry as FileSystemFileEntry) });
  }
  return found;
}

/** A reader returns up to a hundred entries at a time, and an empty list at the end. */
async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function readFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Running and finished imports, newest first. */
export function ImportCards() {
  const { jobs } = useImports();
  if (jobs.length === 0) return null;
  return (
    <section aria-label={t('import.list')} className="flex flex-col gap-2">
      {jobs.map((job) => (
        <Card key={job.id} job={job} />
      ))}
    </section>
  );
}

function Card({ job }: { readonly job: ImportJob }) {
  const { source, result, error } = job;
  const isOver = result !== undefined || error !== undefined;
  const name = source.kind === 'file' ? source.file.name : source.name;
  const size =
    source.kind === 'file' ? bytes(source.file.size) : t('import.files-count', { count: source.files.length });
  return (
    <article aria-label={t('import.one', { name })} className="rounded-lg border border-line bg-surface p-3">
      <header className="flex items-center gap-2">
        <h2 className="min-w-0 truncate font-medium">{name}</h2>
        <span className="shrink-0 text-xs text-faint">{size}</span>
        <span className="grow" />
        {isOver && (
          <IconButton label={t('import.dismiss')} onClick={() => dismissImport(job.id)}>
            <X size={14} />
          </IconButton>
        )}
      </header>
      <div aria-live="polite">
        {result ? (
          <ImportSummary result={result} />
        ) : error !== undefined ? (
          <ImportFailed job={job} />
        ) : (
          <Running job={job} />
        )}
      </div>
    </article>
  );
}

function Running({ job: { source, progress } }: { readonly job: ImportJob }) {
  const whole = source.kind === 'file' ? source.file.size : source.files.length;
  const part = progress ? Math.min(1, progress.read / Math.max(1, whole)) : undefined;
  return (
    <div className="mt-2">
      <progress
        aria-label={t('import.progress')}
        {...(part !== undefined && { value: part })}
        className="h-1.5 w-full accent-accent"
      />
      <p className="text-xs text-soft">
        {progress
          ? t('import.so-far', {
              conversations: t('threads.conversations-count', { count: progress.elements }),
              messages: t('threads.messages-count', { count: progress.messages }),
            })
          : t('import.sending')}
      </p>
    </div>
  );
}

/** What was imported, and what could not be read. */
function ImportSummary({ result }: { readonly result: ImportReport }) {
  const { format, threads, messages, added, problems } = result;
  const known = useQuery(queries.threads());
  const first = known.data?.items.find(({ id }) => id === threads[0]);
  return (
    <div className="mt-1 text-sm">
      <p className="flex items-start gap-2 text-soft">
        <CircleCheck size={14} aria-hidden className="mt-[3px] shrink-0 text-ok" />
        <span>
          {tx(added === 0 ? 'import.none-new' : 'import.some-new', {
            format: <b className="font-medium text-ink">{format}</b>,
            conversations: t('threads.conversations-count', { count: threads.length }),
            messages: t('threads.messages-count', { count: messages }),
            added,
          })}{' '}
          {first && (
            <Link href={toAddress(first.id)} className="text-accent underline underline-offset-2">
              {threads.length > 1 ? t('import.open-first') : t('import.open-only')}
            </Link>
          )}
        </span>
      </p>
      {problems.length > 0 && (
        <details className="mt-2">
          <summary className="text-warn">{t('import.problems', { count: problems.length })}</summary>
          <ul className="mt-1 max-h-48 overflow-y-auto text-xs">
            {problems.map(({ where, message }) => (
              <li key={`${where} ${message}`} className="border-t border-line py-1 break-words">
                <b className="font-medium">{where}</b>: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

const FORMATS = [
  { value: '', title: t('import.format-detect') },
  { value: 'messages', title: t('import.format-messages') },
  { value: 'message-list', title: t('import.format-saved-list') },
  { value: 'chat-state', title: t('import.format-saved-chat') },
  { value: 'fine-tuning', title: t('import.format-fine-tuning') },
  { value: 'chatgpt', title: t('import.format-chatgpt') },
  { value: 'claude', title: t('import.format-claude') },
  { value: 'ui-messages', title: t('import.format-ai-sdk') },
  { value: 'langchain', title: t('import.format-langchain') },
  { value: 'segments', title: t('import.format-segments') },
] as const;

/** Why an import failed. The reader can name the format and try again. */
function ImportFailed({ job }: { readonly job: ImportJob }) {
  const [format, setFormat] = useState('');
  const [dialect, setDialect] = useState('');
  const choices = useDialectChoices();
  const { error, source } = job;
  const [first, rest] = sentences(error instanceof Error ? error.message : String(error));
  const hints = { ...(format && { format }), ...(dialect && { dialect }) };
  return (
    <div className="mt-1 text-sm">
      <p role="alert" className="break-words text-danger">
        {first}
      </p>
      {rest && (
        <details className="text-xs text-soft">
          <summary>{t('import.hints')}</summary>
          <p className="mt-1 break-words">{rest}</p>
        </details>
      )}
      <div className="mt-2 flex flex-wrap gap-2">
        {source.kind === 'file' && (
          <>
            <ChoiceField label={t('import.hint-format')} choices={FORMATS} value={format} onChoose={setFormat} />
            <ChoiceField
              label={t('import.hint-dialect')}
              choices={[
                { value: '', title: t('import.dialect-detect') },
                { value: 'legacy', title: t('import.older-shape') },
                ...choices,
              ]}
              value={dialect}
              onChoose={setDialect}
            />
          </>
        )}
        <Button onClick={() => importAgain(job, hints)}>{t('import.try-again')}</Button>
      </div>
    </div>
  );
}

/** Splits a text into its first sentence and the rest. */
function sentences(text: string): readonly [string, string] {
  const end = text.search(/\. [A-Z]/);
  return end < 0 ? [text, ''] : [text.slice(0, end + 1), text.slice(end + 2)];
}

type ImportSource =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'folder'; readonly name: string; readonly files: readonly FolderFile[] };

/** One import, until its card is dismissed. */
interface ImportJob {
  readonly id: number;
  readonly source: ImportSource;
  readonly progress?: ImportProgress;
  readonly result?: ImportReport;
  readonly error?: unknown;
}

const useImports = create<{ readonly jobs: readonly ImportJob[] }>(() => ({ jobs: [] }));

let last = 0;

function startImport(source: ImportSource): void {
  const id = ++last;
  useImports.setState(({ jobs }) => ({ jobs: [{ id, source }, ...jobs] }));
  void run(id, source, {});
}

/** Repeats an import with hints about the format of the file. */
function importAgain({ id, source }: ImportJob, hints: ImportHints): void {
  useImports.setState(({ jobs }) => ({ jobs: jobs.map((job) => (job.id === id ? { id, source } : job)) }));
  void run(id, source, hints);
}

function dismissImport(id: number): void {
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
