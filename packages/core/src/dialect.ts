/**
 * For those who add a protocol, and for those who record or serve one: the other side of each dialect is here, and not in the
 * main entry.
 */
export { type DialectServe, type KeptHistories, type ServedError, serving } from './dialects/serve.ts';
