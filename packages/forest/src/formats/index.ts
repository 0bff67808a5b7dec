export { FormatError, type FormatErrorCode } from './format-error.ts';
export { importFile } from './import-file.ts';
export { isOlderLayout } from './older/need-layout.ts';
export { openOlder } from './older/open-older.ts';
export { type OlderReport, verifyOlder } from './older/verify-older.ts';
export type { ImportSource } from './source/text-source.ts';
export type { Imported, ImportFormat, ImportOptions, ImportProblem, ImportProgress } from './types.ts';
