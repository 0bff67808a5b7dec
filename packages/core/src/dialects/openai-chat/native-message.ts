import { isObject, type JsonObject, type Path } from '../../json/index.ts';

/** What stands for a reply without any message. */
export const EMPTY_MESSAGE = '{"role":"assistant","content":""}';

/** The audio of a reply, if there is any: its id is what is echoed. */
export function audioOf(message: JsonObject): { readonly id: string; readonly transcript: string } | undefined {
  const { audio } = message;
  // Some compatible providers send every optional member, blank.
  if (!isObject(audio) || typeof audio.id !== 'string' || audio.id === '') return undefined;
  return { id: audio.id, transcript: typeof audio.transcript === 'string' ? audio.transcript : '' };
}

export function refusalOf({ refusal }: JsonObject): string {
  return typeof refusal === 'string' ? refusal : '';
}

/** Whether nothing would be left to send when only so many of its calls are (`content-null`, `content-empty`). */
export function isEmptyMessage(message: JsonObject, calls: number): boolean {
  const { role, content } = message;
  const none = content === null || content === undefined || (Array.isArray(content) && content.length === 0);
  if (role === 'tool' || role === 'function') return false;
  if (role !== 'assistant') return none;
  const silent = none || content === '' || (Array.isArray(content) && content.every(isEmptyText));
  const images = Array.isArray(message.images) && message.images.length > 0;
  return silent && calls === 0 && refusalOf(message) === '' && audioOf(message) === undefined && !images;
}

function isEmptyText(part: unknown): boolean {
  return isObject(part) && part.type === 'text' && part.text === '';
}

/** Where a client of OpenRouter and the like placed cache markers. */
export function cacheMarkers(message: JsonObject): Path[] {
  const paths: Path[] = 'cache_control' in message ? [['cache_control']] : [];
  if (Array.isArray(message.content)) {
    message.content.forEach((part: unknown, index) => {
      if (isObject(part) && 'cache_control' in part) paths.push(['content', index, 'cache_control']);
    });
  }
  return paths;
}
