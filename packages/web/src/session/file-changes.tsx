import { useState } from 'react';
import { Foldable } from '../blocks/fold.tsx';
import { t } from '../words/words.ts';
import { countLines, type DiffLine, diffLines, type SessionFile, shortPath, type TouchedFile } from './line-diff.ts';

const LOOKS: Readonly<Record<DiffLine['kind'], readonly [mark: string, look: string]>> = {
  same: [' ', 'text-soft'],
  added: ['+', 'bg-ok-soft text-ok'],
  removed: ['−', 'bg-danger-soft text-danger'],
  folded: ['', 'text-faint'],
};

/** The changes of a file line by line, as a patch shows them. */
function FileDiff({ file }: { readonly file: TouchedFile }) {
  if (file.changes.length === 0 && file.whole === 'deleted')
    return <p className="p-3 text-xs text-soft">{t('session.file-deleted')}</p>;
  const isCut = file.changes.some(({ before, after }) => before.isCut || after.isCut);
  return (
    <div className="overflow-x-auto font-mono text-[13px] leading-5">
      {file.changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: changes of a call never change
        <div key={index} className={`w-max min-w-full py-1 ${index > 0 ? 'border-t border-line' : ''}`}>
          {diffLines(change).map((line, at) => {
            const [mark, look] = LOOKS[line.kind];
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of a change never change
              <div key={at} className={`flex px-3 whitespace-pre ${look}`}>
                <span aria-hidden className="w-4 shrink-0 select-none">
                  {mark}
                </span>
                {line.kind === 'folded' ? `… ${t('session.lines', { count: line.count })}` : line.text || ' '}
              </div>
            );
          })}
        </div>
      ))}
      {isCut && <p className="px-3 py-1 font-sans text-xs text-faint">{t('session.beginning-only')}</p>}
    </div>
  );
}

/** How many lines were added and removed. */
function LineCount({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span className="shrink-0 tabular-nums">
      {(added > 0 || removed === 0) && <span className="text-ok">+{added}</span>}{' '}
      {removed > 0 && <span className="text-danger">−{removed}</span>}
    </span>
  );
}

/** A file that one call touched, with its changes folded. */
export function TouchedFileCard({ file, cwd }: { readonly file: TouchedFile; readonly cwd: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const path = shortPath(file.path, cwd);
  return (
    <Foldable
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      label={t('session.file-changes', { path })}
      summary={
        <>
          <span className="shrink-0 font-medium text-ink">
            {file.whole === 'written'
              ? t('session.change-wrote')
              : file.whole === 'deleted'
                ? t('session.change-deleted')
                : t('session.change-edited')}
          </span>
          <span className="min-w-0 grow truncate font-mono">{path}</span>
          <LineCount {...countLines(file.changes)} />
        </>
      }
    >
      <FileDiff file={file} />
    </Foldable>
  );
}

/** All files of a session; a changed one opens to its changes, step by step. */
export function SessionFiles({ files }: { readonly files: readonly SessionFile[] }) {
  const [open, setOpen] = useState<string>();
  const isRead = ({ changes }: SessionFile) => changes.length === 0;
  const read = files.filter(isRead);
  return (
    <section aria-label={t('session.files')} className="text-xs">
      <h2 className="mb-1 text-sm font-semibold">{t('session.files')}</h2>
      {files.length === 0 && <p className="text-soft">{t('session.no-files')}</p>}
      {files
        .filter((file) => !isRead(file))
        .map(({ path, changes, added, removed }) => (
          <Foldable
            key={path}
            isOpen={open === path}
            onToggle={() => setOpen(open === path ? undefined : path)}
            label={t('session.file', { path })}
            summary={
              <>
                <span className="min-w-0 grow truncate font-mono text-ink" title={path}>
                  {path}
                </span>
                <LineCount added={added} removed={removed} />
              </>
            }
          >
            {changes.map(({ step, file }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: changes of a session are in order
              <div key={index} className="border-t border-line first:border-0">
                <a href={`#step-${step + 1}`} className="block px-3 pt-1 text-accent underline underline-offset-2">
                  {t('session.file-step', { step: step + 1 })}
                </a>
                <FileDiff file={file} />
              </div>
            ))}
          </Foldable>
        ))}
      {read.length > 0 && (
        <details className="mt-2">
          <summary className="text-soft">{t('session.files-read', { count: read.length })}</summary>
          <ul className="mt-1 flex flex-col gap-0.5 pl-4 font-mono">
            {read.map(({ path }) => (
              <li key={path} className="truncate" title={path}>
                {path}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
