import { elementTexts, find, type JsonObject } from '../../json/index.ts';
import type { ContentBlock, Role } from '../../message/index.ts';

/** What stands for a reply without any message. */
export const EMPTY_MESSAGE = '{"role":"assistant","content":""}';

/** Some compatible providers send every optional member, blank: that is as good as none. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Each element of a list in a message, by value and text; nothing where there is no list. */
export function elementsIn<T>(
  raw: string,
  message: JsonObject,
  name: string,
  read: (value: unknown, text: string, index: number) => T,
): T[] {
  const values = message[name];
  if (!Array.isArray(values)) return [];
  const texts = elementTexts(raw, find(raw, [name])!.start);
  return values.map((value: unknown, index) => read(value, texts[index]!, index));
}

/** Whether nothing is left to send (`content-null`, `content-empty`). Thoughts alone are no answer. */
export function saysNothing(role: Role, blocks: readonly ContentBlock[]): boolean {
  if (role !== 'assistant') return blocks.length === 0;
  return blocks.every((block) => block.type === 'reasoning' || (block.type === 'text' && block.text === ''));
}
