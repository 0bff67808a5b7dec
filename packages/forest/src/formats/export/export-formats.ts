/** The formats of `exportText`. */
export const EXPORT_FORMATS = [
  'segments',
  'markdown',
  'html',
  'messages',
  'fine-tuning',
  'anthropic',
  'sharegpt',
  'promptfoo',
  'inspect',
  'jsonl',
  'csv',
] as const;

/** One of the formats of `exportText`. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
