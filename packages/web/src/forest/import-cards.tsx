import { X } from 'lucide-react';
import { type ImportJob, putAway, useImports } from '../state/imports.ts';
import { IconButton } from '../ui/button.tsx';
import { bytes, counted } from '../ui/format.ts';
import { ImportFailed } from './import-failed.tsx';
import { ImportResult } from './import-result.tsx';

/** Imports that run or ended, newest first. */
export function ImportCards() {
  const { jobs } = useImports();
  if (jobs.length === 0) return null;
  return (
    <section aria-label="Imports" className="flex flex-col gap-2">
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
  const size = source.kind === 'file' ? bytes(source.file.size) : counted(source.files.length, 'file');
  return (
    <article aria-label={`Import of ${name}`} className="rounded-lg border border-line bg-surface p-3">
      <header className="flex items-center gap-2">
        <h2 className="min-w-0 truncate font-medium">{name}</h2>
        <span className="shrink-0 text-xs text-faint">{size}</span>
        <span className="grow" />
        {isOver && (
          <IconButton label="Put away" onClick={() => putAway(job.id)}>
            <X size={14} />
          </IconButton>
        )}
      </header>
      <div aria-live="polite">
        {result ? (
          <ImportResult result={result} />
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
        aria-label="How far the import is"
        {...(part !== undefined && { value: part })}
        className="h-1.5 w-full accent-accent"
      />
      <p className="text-xs text-soft">
        {progress
          ? `${counted(progress.elements, 'conversation')}, ${counted(progress.messages, 'message')} so far`
          : 'Sending…'}
      </p>
    </div>
  );
}
