import { elementTexts, isLegacyMessage, type Message, normalizeMessage, textAt } from '@skein/core';
import { Problem } from '../http/problem.ts';

/**
 * The messages of a body as its client spelt them, in content blocks or in the older shape; says whether any was
 * older. The body has been checked to be JSON.
 */
export function readMessages(body: string): { readonly messages: Message[]; readonly older: boolean } {
  const list = textAt(body, ['messages']);
  const texts = list === undefined ? [] : elementTexts(list);
  const messages = texts.map((text, index) => {
    try {
      return normalizeMessage(text);
    } catch (error) {
      throw new Problem(422, 'bad_message', `messages[${index}]: ${error instanceof Error ? error.message : error}`);
    }
  });
  return { messages, older: texts.some((text) => isLegacyMessage(JSON.parse(text))) };
}
