import type { JsonObject } from '../../json/index.ts';
import { dataUrl, type Forms, joinedTexts, rewritten, type Said, synthesised, type Target } from '../write/index.ts';
import { quirk } from './quirks.ts';

/** Stands in for the thoughts that belong to a call (`deepseek-reasoning`). */
export const NO_THOUGHTS = '"(not available)"';

export const forms: Forms = {
  takesRefusals: true,
  message(role, said, target, losses) {
    if (role !== 'assistant') return { text: messageText(role, contentText(said), target) };
    const text = joinedSaid(said, 'text');
    const refusal = joinedSaid(said, 'refusal');
    const firstCall = said.findIndex(({ type }) => type === 'call');
    if (firstCall >= 0 && said.findLastIndex(({ type }) => type === 'text') > firstCall)
      losses.push(rewritten('', 'reordered', 'text before calls'));
    const calls = said.flatMap((one) => (one.type === 'call' ? [callText(one)] : [])).join(',');
    // `null` is content only beside calls (`content-null`): a bare refusal is sent as a part.
    if (text === EMPTY && calls === '')
      return { text: `{"role":"assistant","content":[{"type":"refusal","refusal":${refusal}}]}` };
    const refused = refusal === EMPTY ? '' : `,"refusal":${refusal}`;
    let called = calls && `,"tool_calls":[${calls}]`;
    if (called && quirk('thoughtCalls', target)) {
      called += `,"${quirk('reasoningField', target)}":${NO_THOUGHTS}`;
      losses.push(synthesised('', 'foreign-reasoning'));
    }
    return { text: `{"role":"assistant","content":${text === EMPTY ? null : text}${refused}${called}}` };
  },
  result({ id, isError, said }) {
    const content = contentText(said);
    // The protocol has no error flag: a failure that does not read like one gets a word in front.
    const isUntold = isError && !said.some((one) => 'text' in one && /error|fail|exception/i.test(one.text));
    const told = isUntold
      ? (content.startsWith('"') ? '"Error: ' : '[{"type":"text","text":"Error:"},') + content.slice(1)
      : content;
    return { text: `{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${told}}` };
  },
  /** Images go by address or as data; documents, and sounds to models that hear, as data only. */
  media({ source, mediaType, name }, target) {
    const [kind, subtype] = mediaType.split('/');
    if (source.kind === 'file') return mediaPart('file', { file_id: source.id });
    const url = source.kind === 'url' ? source.url : dataUrl(mediaType, source.data);
    if (kind === 'image') return mediaPart('image_url', { url });
    if (source.kind === 'url' || (kind === 'audio' && !quirk('audio', target))) return undefined;
    return kind === 'audio'
      ? mediaPart('input_audio', { data: source.data, format: subtype === 'mpeg' ? 'mp3' : subtype })
      : mediaPart('file', { filename: name ?? `document.${subtype}`, file_data: url });
  },
};

function mediaPart(type: string, value: JsonObject): string {
  return JSON.stringify({ type, [type]: value });
}

const EMPTY = '""';

export function messageText(role: 'system' | 'user', content: string, target: Target): string {
  return `{"role":"${role === 'system' ? quirk('systemRole', target) : role}","content":${content}}`;
}

export function textPart(json: string): string {
  return `{"type":"text","text":${json}}`;
}

/** The texts of one kind as one. */
function joinedSaid(said: readonly Said[], type: 'text' | 'refusal'): string {
  const texts = said.flatMap((one) => ('json' in one && one.type === type ? [one] : []));
  return joinedTexts(
    texts.map(({ json }) => json),
    (index) => !texts[index]!.isGlued,
  );
}

/** Plain text as a string, anything else as a list of parts. */
function contentText(said: readonly Said[]): string {
  if (said.every(({ type }) => type === 'text')) return joinedSaid(said, 'text');
  return `[${said.map((one) => ('json' in one ? textPart(one.json) : 'part' in one ? one.part : '')).join(',')}]`;
}

function callText({ id, name, args }: Said & { type: 'call' }): string {
  return JSON.stringify({ id, type: 'function', function: { name, arguments: args } });
}
