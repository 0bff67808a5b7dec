import { dataUrl } from '../write/media.ts';
import type { Forms, Said } from '../write/translate.ts';
import type { Target } from '../write/writer.ts';
import { quirk } from './quirks.ts';

type SaidText = Said & { type: 'text' | 'refusal' };

export const forms: Forms = {
  takesRefusals: true,
  message(role, said, target) {
    const content = said.filter(({ type }) => type === 'text' || type === 'media');
    if (role !== 'assistant') return { text: messageText(role, contentText(content), target) };
    const calls = said.flatMap((one) => (one.type === 'call' ? [callText(one)] : []));
    const refusals = said.filter((one): one is SaidText => one.type === 'refusal').map(({ json }) => json);
    const refusal = refusals.length > 0 ? `"refusal":${joinedTexts(refusals, '')}` : undefined;
    const more = calls.length > 0 ? `,"tool_calls":[${calls.join(',')}]` : '';
    const bare = content.length === 0;
    // `null` is content only beside calls (`content-null`): a bare refusal is sent as a part.
    if (bare && refusal && !more) return { text: messageText(role, `[{"type":"refusal",${refusal}}]`, target) };
    const rest = `${refusal ? `,${refusal}` : ''}${more}`;
    return { text: messageText(role, bare ? 'null' : contentText(content, ''), target, rest) };
  },
  result({ id, isError, said }) {
    const content = contentText(isError ? asError(said) : said);
    return { text: `{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${content}}` };
  },
  /** Images go by address or as data; sounds, to models that hear, and documents as data only. */
  media({ source, mediaType, name }, target) {
    if (source.kind === 'file') return `{"type":"file","file":{"file_id":${JSON.stringify(source.id)}}}`;
    const url = JSON.stringify(source.kind === 'url' ? source.url : dataUrl(mediaType, source.data));
    const [kind, subtype] = mediaType.split('/');
    if (kind === 'image') return `{"type":"image_url","image_url":{"url":${url}}}`;
    if (source.kind === 'url') return undefined;
    if (kind !== 'audio')
      return `{"type":"file","file":{"filename":${JSON.stringify(name ?? `document.${subtype}`)},"file_data":${url}}}`;
    if (!quirk('audio', target)) return undefined;
    const format = JSON.stringify(subtype === 'mpeg' ? 'mp3' : subtype);
    return `{"type":"input_audio","input_audio":{"data":${JSON.stringify(source.data)},"format":${format}}}`;
  },
};

export function messageText(role: string, content: string, target: Target, rest = ''): string {
  const name = role === 'system' ? quirk('systemRole', target) : role;
  return `{"role":"${name}","content":${content}${rest}}`;
}

/** Several JSON strings as one. Texts of a person stay apart; those of a model are one text. */
export function joinedTexts(texts: readonly string[], between = '\\n\\n'): string {
  return `"${texts.map((text) => text.slice(1, -1)).join(between)}"`;
}

export function textPart(json: string): string {
  return `{"type":"text","text":${json}}`;
}

/** Plain text as a string, anything else as a list of parts. */
function contentText(said: readonly Said[], between?: string): string {
  const texts = said.flatMap((one) => ('json' in one ? [one.json] : []));
  if (texts.length === said.length) return joinedTexts(texts, between);
  return `[${said.flatMap((one) => ('json' in one ? [textPart(one.json)] : 'part' in one ? [one.part] : [])).join(',')}]`;
}

function callText({ id, name, args }: Said & { type: 'call' }): string {
  const called = `{"name":${JSON.stringify(name)},"arguments":${JSON.stringify(args)}}`;
  return `{"id":${JSON.stringify(id)},"type":"function","function":${called}}`;
}

/** The protocol has no error flag: a failure that does not read like one gets a word in front. */
function asError(said: readonly Said[]): readonly Said[] {
  if (said.some((one) => 'text' in one && /error|fail|exception/i.test(one.text))) return said;
  const [first, ...others] = said;
  const isText = first && 'json' in first;
  const text = isText ? `Error: ${first.text}` : 'Error';
  return [
    { type: 'text', text, json: isText ? `"Error: ${first.json.slice(1)}` : '"Error"' },
    ...(isText ? others : said),
  ];
}
