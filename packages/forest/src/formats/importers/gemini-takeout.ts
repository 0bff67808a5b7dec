import { assistant, type ContentBlock, isObject, user } from '@skein/core';
import type { BuiltInImporter } from '../importer.ts';
import { otherMembers, readObject, readTime, textMember } from '../source/exact-json.ts';
import { chainMessages } from './source-conversation.ts';

/**
 * `MyActivity.json` of Google Takeout ("My Activity", Gemini Apps): a prompt and the answer to it, each by itself. The
 * export does not say which of them belong to one conversation.
 */
export const geminiTakeout: BuiltInImporter = {
  recognisedBy: 'objects with "header", "title", "time" and the product Gemini Apps or Bard',
  detects: ({ header, products, time }) =>
    typeof time === 'string' && [header, ...(Array.isArray(products) ? products : [])].some(isGemini),
  read(text, { file }) {
    const activity = readObject(text, 'an activity of Gemini Apps');
    const { value } = activity;
    const at = readTime(value.time);
    const prompt = readPrompt(textMember(value, 'title') ?? '');
    const answers = Array.isArray(value.safeHtmlItem) ? value.safeHtmlItem : [];
    const answer = answers.flatMap((item) => (isObject(item) ? [htmlToText(textMember(item, 'html') ?? '')] : []));
    const files = [value.attachedFiles, value.imageFile].flat().filter((name) => typeof name === 'string');
    const media = files.flatMap((name): ContentBlock[] => {
      const found = file?.(name);
      const source = found ? ({ kind: 'base64', data: found.data } as const) : ({ kind: 'file', id: name } as const);
      return [{ type: 'media', mediaType: found?.mediaType ?? 'application/octet-stream', source, name }];
    });
    const extra = otherMembers(activity, ['title', 'time', 'safeHtmlItem']);
    // Settings and feedback are activities, too; they have no answer.
    const isTalk = prompt !== undefined && answer.join('') !== '';
    const messages = isTalk
      ? [
          { message: user([...media, { type: 'text', text: prompt }]), at, take: { extra } },
          {
            message: assistant(answer.join('\n\n')),
            at,
            take: { author: 'model', provider: 'google', extra: { html: answers } } as const,
          },
        ]
      : [];
    return {
      id: `${textMember(value, 'time')} ${textMember(value, 'title')}`,
      ...(at !== undefined && { createdAt: at, updatedAt: at }),
      messages: chainMessages(messages),
    };
  },
};

function isGemini(name: unknown): boolean {
  return typeof name === 'string' && /gemini|bard/i.test(name);
}

/** The title is the prompt after a word in the user's language, such as "Prompted". */
function readPrompt(title: string): string | undefined {
  const [, prompt] = /^(?:Prompted|Said|Asked)\s+(.*)$/s.exec(title) ?? [];
  return (prompt ?? title).trim() || undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };

/** The words of a piece of HTML, with line ends where it has blocks. The HTML itself stays in the take. */
function htmlToText(html: string): string {
  return html
    .replace(/<(?:br|\/p|\/div|\/li|\/h\d|\/tr|\/pre)\b[^>]*>/gi, '\n')
    .replace(/<li\b[^>]*>/gi, '- ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name]!)
    .replace(/&#(\d{1,7});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
