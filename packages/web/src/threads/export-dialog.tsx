import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useId, useState } from 'react';
import { apiBase } from '../api/base.ts';
import { readProblem } from '../api/problem.ts';
import { queries } from '../api/queries.ts';
import { type ExportScope, useOverlays } from '../state/overlays.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ChoiceField } from '../ui/field.tsx';
import { toastError } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';

const close = () => useOverlays.setState({ exporting: undefined });

/** The dialog that asks for the format of an export. */
export function ExportDialog() {
  const of = useOverlays((overlays) => overlays.exporting);
  return of && <Choices of={of} />;
}

function dialogTitle(of: ExportScope): string {
  if (of.kind === 'everything') return t('threads.export-the-whole');
  if (of.kind === 'threads')
    return t('threads.export', { things: t('threads.count-conversations', { count: of.ids.length }) });
  return of.kind === 'node'
    ? t('threads.export-one-message')
    : t('threads.share-or-export', { title: of.title || t('threads.untitled') });
}

function Choices({ of }: { readonly of: ExportScope }) {
  const [format, setFormat] = useState<ExportFormat>(of.kind === 'thread' || of.kind === 'path' ? 'html' : 'segments');
  const choices = useDialectChoices();
  const [chosen, setDialect] = useState<string>();
  const dialect = chosen ?? choices[0]?.value ?? '';
  const group = useId();
  const addresses = exportAddresses(of, format, dialect);
  const name = fileName(of, format);
  return (
    <Dialog
      open
      onClose={close}
      title={dialogTitle(of)}
      action={
        of.kind === 'threads' ? (
          <Button look="primary" onClick={() => saveJoined(addresses, name).then(close, toastError)}>
            <Download size={14} aria-hidden />
            {t('threads.download')}
          </Button>
        ) : (
          <a href={addresses[0]} download={name} onClick={close} className={buttonLook('primary')}>
            <Download size={14} aria-hidden />
            {t('threads.download')}
          </a>
        )
      }
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="sr-only">{t('threads.format')}</legend>
        {formatsFor(of).map(({ format: one, title, about }) => (
          <label
            key={one}
            className={`flex cursor-pointer gap-3 rounded-md border p-2 ${one === format ? 'border-accent bg-accent-soft' : 'border-line hover:bg-hover'}`}
          >
            <input
              type="radio"
              name={group}
              checked={one === format}
              onChange={() => setFormat(one)}
              className="mt-1 accent-accent"
            />
            <span>
              <span className="font-medium">{title}</span>
              <span className="block text-xs text-soft">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {format === 'html' && (
        <p className="mt-3 text-sm">
          <a
            href={`${addresses[0]}&show=true`}
            target="_blank"
            rel="noreferrer"
            className="font-medium text-accent hover:underline"
          >
            {t('threads.open-it-in')}
          </a>{' '}
          <span className="text-soft">{t('threads.to-print-it')}</span>
        </p>
      )}
      {needsDialect(format) && (
        <div className="mt-3 flex items-center gap-2">
          <span aria-hidden>{t('threads.dialect')}</span>
          <ChoiceField label={t('threads.dialect')} choices={choices} value={dialect} onChoose={setDialect} />
        </div>
      )}
    </Dialog>
  );
}

type ExportFormat =
  | ('html' | 'segments' | 'markdown' | 'messages' | 'fine-tuning' | 'anthropic')
  | ('sharegpt' | 'promptfoo' | 'inspect' | 'jsonl' | 'csv');

const FORMATS: readonly { readonly format: ExportFormat; readonly title: string; readonly about: string }[] = [
  {
    format: 'html',
    title: t('threads.page'),
    about: t('threads.one-file-to'),
  },
  { format: 'segments', title: t('threads.segments'), about: t('threads.loses-nothing-can') },
  { format: 'markdown', title: 'Markdown', about: t('threads.for-reading') },
  { format: 'messages', title: t('threads.messages'), about: t('threads.a-json-list') },
  { format: 'fine-tuning', title: t('threads.fine-tuning'), about: t('threads.one-json-object') },
  { format: 'anthropic', title: 'Anthropic', about: t('threads.the-same-as') },
  { format: 'sharegpt', title: t('threads.sharegpt'), about: t('threads.for-training-programs') },
  { format: 'promptfoo', title: t('threads.promptfoo'), about: t('threads.tests-the-conversation') },
  { format: 'inspect', title: t('threads.inspect'), about: t('threads.samples-for-inspect') },
  { format: 'jsonl', title: t('threads.json-lines'), about: t('threads.all-that-is') },
  { format: 'csv', title: t('threads.table'), about: t('threads.csv-last-question') },
];

/** Several pages, or several tables with a first line, cannot be joined into one. */
function formatsFor(of: ExportScope) {
  return of.kind === 'threads' ? FORMATS.filter(({ format }) => format !== 'html' && format !== 'csv') : FORMATS;
}

function needsDialect(format: ExportFormat): boolean {
  return format === 'messages' || format === 'fine-tuning' || format === 'jsonl';
}

/** The addresses to download an export from: one, or one per thread. */
export function exportAddresses(of: ExportScope, format: ExportFormat, dialect: string): readonly string[] {
  const fixed: [string, string][] = [
    ['format', format],
    ...(needsDialect(format) ? [['dialect', dialect] as [string, string]] : []),
  ];
  const address = (named: readonly [string, string][]) =>
    `${apiBase}/export?${new URLSearchParams([...fixed, ...named])}`;
  if (of.kind === 'everything') return [address([])];
  if (of.kind === 'threads') return of.ids.map((id) => address([['thread', id]]));
  return [address([[of.kind, of.id]])];
}

const ENDINGS: Partial<Record<ExportFormat, string>> = { markdown: 'md', html: 'html', csv: 'csv' };

export function fileName(of: ExportScope, format: ExportFormat): string {
  const name =
    of.kind === 'everything' ? 'forest' : of.kind === 'threads' ? `${of.ids.length}-conversations` : of.title;
  const plain = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${plain || 'skein'}.${ENDINGS[format] ?? 'jsonl'}`;
}

/** Saves several exports as one file. All formats are lines or paragraphs, so an import can read them joined. */
async function saveJoined(addresses: readonly string[], name: string): Promise<void> {
  const parts: Blob[] = [];
  for (const address of addresses) {
    const response = await fetch(address);
    if (!response.ok) throw await readProblem(response);
    parts.push(await response.blob());
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts));
  link.download = name;
  link.click();
  // The browser has started the download by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The dialects of the server as choices of a field; empty until they are loaded. */
export function useDialectChoices(): readonly { readonly value: string; readonly title: string }[] {
  const { data } = useQuery(queries.dialects());
  return (data?.items ?? []).map(({ id, title }) => ({ value: id, title }));
}
