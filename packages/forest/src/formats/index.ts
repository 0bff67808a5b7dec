export { FormatError, type FormatErrorCode } from './format-error.ts';
export { importFile } from './import-file.ts';
export type { ImportSource } from './source/text-source.ts';
export type { Imported, ImportFormat, ImportOptions, ImportProblem, ImportProgress } from './types.ts';
