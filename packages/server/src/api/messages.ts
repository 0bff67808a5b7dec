import { type ContentBlock, elementTexts, isLegacyMessage, type Message, normalizeMessage, textAt } from '@skein/core';
import type { Context } from 'hono';
import { Problem } from '../http/problem.ts';

/**
 * The messages of a body as its client spelt them, in content blocks or in the older shape; says whether any was
 * older. The body has been checked to be JSON.
 */
export function readMessages(body: string): { readonly messages: Message[]; readonly older: boolean } {
  const list = textAt(body, ['messages']);
  const texts = list === undefined ? [] : elementTexts(list);
  const messages = texts.map((text, index) => {
    const message = readMessage(text, `messages[${index}]`);
    // The content of a tool message is shown inside of a result.
    const [first] = message.content;
    const content = message.role === 'tool' && first?.type === 'tool-result' ? first.content : message.content;
    checkBlocks(content, `messages[${index}].content`);
    return message;
  });
  return { messages, older: texts.some((text) => isLegacyMessage(JSON.parse(text))) };
}

function readMessage(text: string, place: string): Message {
  try {
    return normalizeMessage(text);
  } catch (error) {
    throw new Problem('bad_message', `${place}: ${error instanceof Error ? error.message : error}`);
  }
}

/** What is stored may hold blocks of a later version. What a client writes must be blocks that a model can be sent. */
function checkBlocks(content: readonly ContentBlock[], place: string): void {
  content.forEach((block, index) => {
    const here = `${place}[${index}]`;
    if (block.type === 'tool-result') checkBlocks(block.content, `${here}.content`);
    if (block.type !== 'unknown') return;
    const example = '{"type":"text","text":"…"}';
    throw new Problem(
      'bad_message',
      `${here} is not a content block such as ${example}: ${block.native.slice(0, 200)}`,
    );
  });
}

/** When the older message shape (string content, `tool_calls`) was superseded, as RFC 9745 wants it. */
const SINCE = '@1763251200';

/** Tells a client that writes the older shape that there is a newer one. */
export function markOlder(c: Context, older: boolean): void {
  if (!older) return;
  c.header('deprecation', SINCE);
  c.header('link', '</api/openapi.json>; rel="deprecation"');
}
