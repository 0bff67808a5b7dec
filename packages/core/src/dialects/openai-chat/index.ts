import type { DialectSpec } from '../dialect.ts';
import { stringText } from '../write/text.ts';
import type { RequestWriter } from '../write/writer.ts';
import { gather } from './gather.ts';
import { openaiChatHome } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { spliceMessage } from './splice-message.ts';
import { translateMessage } from './translate-message.ts';
import { toolUnit } from './translate-results.ts';
import { view } from './view.ts';
import { frame } from './write-frame.ts';

const writer: RequestWriter = {
  resultsFollow: 'message',
  splice: spliceMessage,
  translate: translateMessage,
  result: (call, text) => toolUnit(call.id, stringText(text, '', []), []),
  userText: (text) => ({
    role: 'user',
    text: `{"role":"user","content":${stringText(text, '', [])}}`,
    calls: [],
    results: [],
    losses: [],
  }),
  gather,
  frame,
};

/** OpenAI's Chat Completions, and what the many compatible providers made of it. */
export const openaiChatSpec: DialectSpec = {
  id: 'openai-chat',
  home: openaiChatHome,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
};
