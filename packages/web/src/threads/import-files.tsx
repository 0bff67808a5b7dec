import { FileDown, File as FileIcon, FolderOpen, Import } from 'lucide-react';
import { type ChangeEvent, type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { FolderFile } from '../api/imports.ts';
import { useCommandList } from '../commands/registry.ts';
import { type ImportSource, startImport } from '../state/imports.ts';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { toastError } from '../ui/toasts.tsx';

/** A button to choose files or a folder to import. */
export function ImportButton() {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  // React does not know this attribute.
  useEffect(() => folder.current?.setAttribute('webkitdirectory', ''), []);
  const chooseFiles = () => files.current?.click();
  const chooseFolder = () => folder.current?.click();
  useCommandList([
    { id: 'import-files', title: 'Import files', group: 'Forest', words: 'chatgpt claude upload', run: chooseFiles },
    { id: 'import-folder', title: 'Import a folder', group: 'Forest', words: 'older upload', run: chooseFolder },
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
          <Button>
            <Import size={14} aria-hidden />
            Import
          </Button>
        }
        items={[
          { title: 'Files…', icon: <FileIcon size={14} />, run: chooseFiles },
          { title: 'A folder…', icon: <FolderOpen size={14} />, run: chooseFolder },
        ]}
      />
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label="Files to import"
        onChange={(event) => take(event, false)}
      />
      <input ref={folder} type="file" hidden aria-label="Folder to import" onChange={(event) => take(event, true)} />
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
        <div className="pointer-events-none absolute inset-2 z-30 flex flex-col items-center justify-center gap-2 rounded-xl border-2 border-dashed border-accent bg-accent-soft/90 text-accent">
          <FileDown size={32} aria-hidden />
          <p className="font-semibold">Drop to import</p>
          <p className="text-sm">An export of ChatGPT or Claude, messages, segments, or a folder of the older layout</p>
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
