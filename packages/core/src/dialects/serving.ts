import { serve as anthropicMessages } from './anthropic-messages/serve.ts';
import { serve as blocks } from './blocks/serve.ts';
import type { Dialect } from './dialect.ts';
import { serve as googleGenerateContent } from './google-generatecontent/serve.ts';
import { serve as openaiChat } from './openai-chat/serve.ts';
import { serve as openaiResponses } from './openai-responses/serve.ts';
import type { DialectServe } from './serve.ts';

const BUILT_IN: readonly DialectServe[] = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  googleGenerateContent,
  blocks,
];

/** How to record, replay and serve a dialect. One from outside that says nothing of it is served like our own. */
export function serving({ id, serve }: Pick<Dialect, 'id' | 'serve'>): DialectServe {
  return serve ?? BUILT_IN.find((one) => one.id === id) ?? blocks;
}
