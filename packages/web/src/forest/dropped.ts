import type { FolderFile } from '../api/importing.ts';
import type { ImportSource } from '../state/imports.ts';

/** What was dropped. Entries have to be taken before the event is over; what is in them is read afterwards. */
export function sourcesOf(data: DataTransfer): Promise<readonly ImportSource[]> {
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

/** What a field for folders gives: files that know their path, with the folder's name in front of it. */
export function folderOf(files: readonly File[]): ImportSource | undefined {
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
  for (const entry of await entriesOf(folder)) {
    const place = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory) found.push(...(await filesBelow(entry as FileSystemDirectoryEntry, place)));
    else found.push({ path: place, file: await fileOf(entry as FileSystemFileEntry) });
  }
  return found;
}

/** A reader gives a hundred at a time, and an empty list at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
