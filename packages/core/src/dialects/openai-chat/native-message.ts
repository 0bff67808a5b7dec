import { elementTexts, find, isObject, type JsonObject } from '../../json/index.ts';

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

/** The audio of a spoken reply: the provider holds the sound under its id, which is what is echoed. */
export function audioOf({ audio }: JsonObject): (JsonObject & { readonly id: string }) | undefined {
  return isObject(audio) && isText(audio.id) ? { ...audio, id: audio.id } : undefined;
}

/** Whether nothing would be left to send when only so many of its calls are (`content-null`, `content-empty`). */
export function isEmptyMessage(message: JsonObject, calls: number): boolean {
  const { role, images } = message;
  const content = message.content ?? [];
  if (role === 'tool' || role === 'function') return false;
  if (role !== 'assistant') return Array.isArray(content) && content.length === 0;
  const isSilent = content === '' || (Array.isArray(content) && content.every(isEmptyText));
  const hasImages = Array.isArray(images) && images.length > 0;
  return isSilent && calls === 0 && !isText(message.refusal) && !audioOf(message) && !hasImages;
}

function isEmptyText(part: unknown): boolean {
  return isObject(part) && part.type === 'text' && part.text === '';
}
