import { useQuery } from '@tanstack/react-query';
import { CircleCheck, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ImportReport } from '../api/imports.ts';
import { queries } from '../api/queries.ts';
import { toAddress } from '../state/address.ts';
import { dismissImport, type ImportJob, importAgain, useImports } from '../state/imports.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ChoiceField } from '../ui/field.tsx';
import { bytes, pluralize } from '../ui/format.ts';
import { useDialectChoices } from './export-dialog.tsx';

/** Running and finished imports, newest first. */
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
  const size = source.kind === 'file' ? bytes(source.file.size) : pluralize(source.files.length, 'file');
  return (
    <article aria-label={`Import of ${name}`} className="rounded-lg border border-line bg-surface p-3">
      <header className="flex items-center gap-2">
        <h2 className="min-w-0 truncate font-medium">{name}</h2>
        <span className="shrink-0 text-xs text-faint">{size}</span>
        <span className="grow" />
        {isOver && (
          <IconButton label="Dismiss" onClick={() => dismissImport(job.id)}>
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
        aria-label="How far the import is"
        {...(part !== undefined && { value: part })}
        className="h-1.5 w-full accent-accent"
      />
      <p className="text-xs text-soft">
        {progress
          ? `${pluralize(progress.elements, 'conversation')}, ${pluralize(progress.messages, 'message')} so far`
          : 'Sending…'}
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
      <p className="flex flex-wrap items-center gap-x-2 text-soft">
        <CircleCheck size={14} aria-hidden className="text-ok" />
        <span>
          Read as <b className="font-medium text-ink">{format}</b>: {pluralize(threads.length, 'conversation')},{' '}
          {pluralize(messages, 'message')}, {added === 0 ? 'all of them known already' : `${added} of them new`}.
        </span>
        {first && (
          <Link href={toAddress(first.id)} className="text-accent hover:underline">
            Open {threads.length > 1 ? 'the first' : 'it'}
          </Link>
        )}
      </p>
      {problems.length > 0 && (
        <details className="mt-2">
          <summary className="text-warn">{pluralize(problems.length, 'part')} could not be read</summary>
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
  { value: '', title: 'Detect the format' },
  { value: 'messages', title: 'A list of messages' },
  { value: 'message-list', title: 'A saved message list' },
  { value: 'chat-state', title: 'A saved chat state' },
  { value: 'fine-tuning', title: 'Fine-tuning lines' },
  { value: 'chatgpt', title: 'ChatGPT export' },
  { value: 'claude', title: 'Claude export' },
  { value: 'ui-messages', title: 'AI SDK messages' },
  { value: 'langchain', title: 'LangChain messages' },
  { value: 'segments', title: 'Segments of Skein' },
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
          <summary>More about it</summary>
          <p className="mt-1 break-words">{rest}</p>
        </details>
      )}
      <div className="mt-2 flex flex-wrap gap-2">
        {source.kind === 'file' && (
          <>
            <ChoiceField label="What the file is" choices={FORMATS} value={format} onChoose={setFormat} />
            <ChoiceField
              label="What its messages are written in"
              choices={[{ value: '', title: 'Dialect: detect' }, { value: 'legacy', title: 'Older shape' }, ...choices]}
              value={dialect}
              onChoose={setDialect}
            />
          </>
        )}
        <Button onClick={() => importAgain(job, hints)}>Try again</Button>
      </div>
    </div>
  );
}

/** Splits a text into its first sentence and the rest. */
function sentences(text: string): readonly [string, string] {
  const end = text.search(/\. [A-Z]/);
  return end < 0 ? [text, ''] : [text.slice(0, end + 1), text.slice(end + 2)];
}
