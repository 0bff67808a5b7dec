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
import { t, tx } from '../words/words.ts';

const close = () => useOverlays.setState({ exporting: undefined });

/** The dialog that asks for the format of an export. */
export function ExportDialog() {
  const of = useOverlays((overlays) => overlays.exporting);
  return of && <Choices of={of} />;
}

function dialogTitle(of: ExportScope): string {
  if (of.kind === 'everything') return t('export.everything');
  if (of.kind === 'threads') return t('export.several', { count: of.ids.length });
  return of.kind === 'node'
    ? t('export.message')
    : t('export.conversation', { title: of.title || t('threads.untitled') });
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
            {t('export.download')}
          </Button>
        ) : (
          <a href={addresses[0]} download={name} onClick={close} className={buttonLook('primary')}>
            <Download size={14} aria-hidden />
            {t('export.download')}
          </a>
        )
      }
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="sr-only">{t('export.format')}</legend>
        {formatsFor(of).map(({ format: one, title, about }) => (
          <label
            key={one}
            className={`flex cursor-pointer gap-3 rounded-md border p-2 ${one === format ? 'border-accent bg-accent-soft' : 'border-line hover:bg-hover'}`}
          >
            <input
              type="radio"
              name={group}
              checked={one === format}
              {...(one === format && { 'data-first': true })}
              onChange={() => setFormat(one)}
              className="mt-1 shrink-0"
            />
            <span>
              <span className="font-medium">{title}</span>
              <span className="block text-xs text-soft">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {format === 'html' && (
        <p className="mt-3 text-sm text-soft">
          {tx('export.open-tab', {
            link: (
              <a
                href={`${addresses[0]}&show=true`}
                target="_blank"
                rel="noreferrer"
                className="font-medium text-accent hover:underline"
              >
                {t('export.open-tab-link')}
              </a>
            ),
          })}
        </p>
      )}
      {needsDialect(format) && (
        <div className="mt-3 flex items-center gap-2">
          <span aria-hidden>{t('export.dialect')}</span>
          <ChoiceField label={t('export.dialect')} choices={choices} value={dialect} onChoose={setDialect} />
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
    title: t('export.page'),
    about: t('export.page-about'),
  },
  { format: 'segments', title: t('export.segments'), about: t('export.segments-about') },
  { format: 'markdown', title: 'Markdown', about: t('export.markdown-about') },
  { format: 'messages', title: t('export.messages'), about: t('export.messages-about') },
  { format: 'fine-tuning', title: t('export.fine-tuning'), about: t('export.fine-tuning-about') },
  { format: 'anthropic', title: 'Anthropic', about: t('export.anthropic-about') },
  { format: 'sharegpt', title: t('export.sharegpt'), about: t('export.sharegpt-about') },
  { format: 'promptfoo', title: t('export.promptfoo'), about: t('export.promptfoo-about') },
  { format: 'inspect', title: t('export.inspect'), about: t('export.inspect-about') },
  { format: 'jsonl', title: t('export.json-lines'), about: t('export.json-lines-about') },
  { format: 'csv', title: t('export.table'), about: t('export.table-about') },
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
