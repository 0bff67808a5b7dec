import { apiBase } from '../api/base.ts';
import type { ExportOf } from '../state/overlays.ts';

export type ExportFormat = 'segments' | 'markdown' | 'messages' | 'fine-tuning';

export const FORMATS: readonly { readonly format: ExportFormat; readonly title: string; readonly about: string }[] = [
  { format: 'segments', title: 'Segments', about: 'Loses nothing. Can be imported again, with the same ids.' },
  { format: 'markdown', title: 'Markdown', about: 'To be read.' },
  { format: 'messages', title: 'Messages', about: 'A JSON list of messages on each line, in the dialect of an API.' },
  { format: 'fine-tuning', title: 'Fine-tuning', about: 'One JSON object with messages and tools on each line.' },
];

export function needsDialect(format: ExportFormat): boolean {
  return format === 'messages' || format === 'fine-tuning';
}

/** The addresses that an export is downloaded from; several where several threads are wanted. */
export function exportAddresses(of: ExportOf, format: ExportFormat, dialect: string): readonly string[] {
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

export function fileName(of: ExportOf, format: ExportFormat): string {
  const name =
    of.kind === 'everything' ? 'forest' : of.kind === 'threads' ? `${of.ids.length}-conversations` : of.title;
  const plain = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${plain || 'skein'}.${format === 'markdown' ? 'md' : 'jsonl'}`;
}
