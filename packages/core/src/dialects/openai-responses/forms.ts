import { textAt } from '../../json/index.ts';
import type { MediaBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { dataUrl, type Forms, type Said, stringText } from '../write/index.ts';

type Role = 'system' | 'user' | 'assistant';
type SaidCall = Said & { type: 'call' };

export const forms: Forms = {
  takesRefusals: true,
  /** Text and calls as items of their own, in their order. */
  message(role, said, _, losses) {
    const items: string[] = [];
    let parts: Said[] = [];
    for (const one of [...said, undefined]) {
      if (one && one.type !== 'call') {
        parts.push(one);
        continue;
      }
      if (parts.length > 0) items.push(messageItem(role, parts));
      if (one) items.push(callItem(one, losses));
      parts = [];
    }
    return { text: items.join(',') };
  },
  result({ id, call, isError, said: given }) {
    const said = isError ? asError(given) : given;
    const output = said.length === 0 ? '""' : (plainText(said) ?? partList(said, 'input_text'));
    const { form = 'function_call' } = call ?? {};
    const type = form === 'custom' ? 'custom_tool_call' : form;
    return { text: `{"type":"${type}_output","call_id":${JSON.stringify(id)},${outputMembers(type, output)}}` };
  },
  media(block) {
    const isImage = block.mediaType.startsWith('image/');
    return isImage
      ? `{"type":"input_image","detail":"auto",${sourceText(block, 'image_url')}}`
      : `{"type":"input_file",${sourceText(block, 'file_url')}}`;
  },
};

/** Shells and patches say how it ended; of a call whose result nobody has, that it did not. */
function outputMembers(type: string, output: string): string {
  if (type === 'shell_call')
    return `"status":"incomplete","output":[{"stdout":"","stderr":${output},"outcome":{"type":"timeout"}}]`;
  return `${type === 'apply_patch_call' ? '"status":"failed",' : ''}"output":${output}`;
}

/** The protocol has no error flag: the first text says it. */
function asError(said: readonly Said[]): readonly Said[] {
  const [first, ...more] = said;
  const [text, json, rest] = first?.type === 'text' ? [first.text, first.json, more] : ['', '""', said];
  return [{ type: 'text', text: `Error: ${text}`, json: `"Error: ${json.slice(1)}` }, ...rest];
}

/**
 * One text of the assistant goes as a plain string: without `id` and `annotations` that is the form seen to be accepted
 * in recorded traffic (`content-type`).
 */
function messageItem(role: Role, said: readonly Said[]): string {
  const isOwn = role === 'assistant';
  const content = (isOwn ? plainText(said) : undefined) ?? partList(said, isOwn ? 'output_text' : 'input_text');
  return `{"role":"${role}","content":${content}}`;
}

/** The JSON string text of what is nothing but one text. */
function plainText(said: readonly Said[]): string | undefined {
  const [only] = said;
  return said.length === 1 && only?.type === 'text' ? only.json : undefined;
}

function partList(said: readonly Said[], textType: string): string {
  const parts = said.map((one) => {
    if (one.type === 'refusal') return `{"type":"refusal","refusal":${one.json}}`;
    return one.type === 'text' ? `{"type":"${textType}","text":${one.json}}` : one.type === 'media' ? one.part : '';
  });
  return `[${parts.join(',')}]`;
}

/** A custom call stays one, so that its result, which has a form of its own, still fits. */
function callItem({ id, name, form, args }: SaidCall, losses: LossNote[]): string {
  const named = `"call_id":${JSON.stringify(id)},"name":${JSON.stringify(name)}`;
  if (form !== 'custom') return `{"type":"function_call",${named},"arguments":${stringText(args, '', losses)}}`;
  const input = textAt(args, ['input']) ?? args;
  return `{"type":"custom_tool_call",${named},"input":${input.startsWith('"') ? input : JSON.stringify(input)}}`;
}

function sourceText({ source, mediaType, name }: MediaBlock, urlName: 'image_url' | 'file_url'): string {
  if (source.kind === 'file') return `"file_id":${JSON.stringify(source.id)}`;
  if (source.kind === 'url') return `"${urlName}":${JSON.stringify(source.url)}`;
  const data = JSON.stringify(dataUrl(mediaType, source.data));
  if (urlName === 'image_url') return `"image_url":${data}`;
  const filename = name ?? `document.${mediaType.slice(mediaType.indexOf('/') + 1)}`;
  return `"filename":${JSON.stringify(filename)},"file_data":${data}`;
}
