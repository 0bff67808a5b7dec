import { viewBlocks } from '../../message/index.ts';
import type { DialectSpec } from '../dialect.ts';
import { skein } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { writer } from './write-request.ts';

/** Skein's own content-block JSON as a protocol. */
export const blocksSpec: DialectSpec = {
  id: skein.dialect,
  home: skein,
  view: viewBlocks,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Blocks of Skein',
  members: { messages: 'messages', system: [] },
};
