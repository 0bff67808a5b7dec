import { openaiChat } from '@skein/core';
import type { Forest } from '../../forest/forest.ts';
import { conversationsOf, type ExportedConversation } from './conversations.ts';
import { fineTuningLine, messageArray, type Written } from './dialect-messages.ts';
import { markdownOf } from './markdown.ts';
import { segmentLines } from './segments.ts';
import type { ExportOptions } from './types.ts';

/**
 * A part of a forest as text, piece by piece. Segments lose nothing and import again with the same ids; Markdown is to
 * be read; `messages` is a list in a dialect, one line for each conversation, and `fine-tuning` an object on each line.
 */
export async function* exportText(forest: Forest, options: ExportOptions): AsyncGenerator<string> {
  const { format, of = 'everything', onLosses, onDamaged, onProgress } = options;
  if (format === 'segments') {
    yield* segmentLines(forest, of, onProgress ?? (() => undefined));
    return;
  }
  let messages = 0;
  for await (const conversation of conversationsOf(forest, of, onDamaged)) {
    const { text, losses } = write(conversation, options);
    if (losses.length > 0) onLosses?.({ head: conversation.head, losses });
    yield text;
    messages += conversation.nodes.length;
    onProgress?.(messages);
  }
}

function write(conversation: ExportedConversation, { format, dialect = openaiChat.id }: ExportOptions): Written {
  if (format === 'markdown') return { text: markdownOf(conversation), losses: [] };
  const { text, losses } =
    format === 'messages' ? messageArray(conversation, dialect) : fineTuningLine(conversation, dialect);
  return { text: `${text}\n`, losses };
}
