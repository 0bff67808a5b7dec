/**
 * For those who add a protocol, and for those who record or serve one: the other side of each dialect is here, and not in the
 * main entry.
 */
export type {
  DialectServe,
  KeptHistories,
  ReplyContent,
  ReplyHead,
  ReplyToWrite,
  ReplyWriter,
  ServedError,
  WriteStreamOptions,
  WrittenReply,
} from './dialects/serve.ts';
export { serving } from './dialects/serving.ts';
