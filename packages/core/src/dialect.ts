/**
 * For those who add a protocol, and for those who record or serve one: the other side of each dialect is here, and not in the
 * main entry.
 */
export {
  type DialectServe,
  type KeptHistories,
  type ReplyContent,
  type ReplyHead,
  type ReplyToWrite,
  type ReplyWriter,
  type ServedError,
  serving,
  type WriteStreamOptions,
  type WrittenReply,
} from './dialects/serve.ts';
