import { File as FileIcon, FolderOpen, Import } from 'lucide-react';
import { type ChangeEvent, useEffect, useRef } from 'react';
import { useCommandList } from '../commands/registry.ts';
import { startImport } from '../state/imports.ts';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { folderOf } from './dropped.ts';

/** Chooses files or a folder to import. */
export function ImportButton() {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  // React has no name for this attribute.
  useEffect(() => folder.current?.setAttribute('webkitdirectory', ''), []);
  const chooseFiles = () => files.current?.click();
  const chooseFolder = () => folder.current?.click();
  useCommandList([
    { id: 'import-files', title: 'Import files', group: 'Forest', words: 'chatgpt claude upload', run: chooseFiles },
    { id: 'import-folder', title: 'Import a folder', group: 'Forest', words: 'older upload', run: chooseFolder },
  ]);
  const take = (event: ChangeEvent<HTMLInputElement>, isFolder: boolean) => {
    const chosen = [...(event.target.files ?? [])];
    const whole = isFolder ? folderOf(chosen) : undefined;
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
