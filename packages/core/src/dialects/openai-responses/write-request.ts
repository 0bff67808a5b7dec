import { isObject, parseJson, textAt } from '../../json/index.ts';
import type { MediaBlock, Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { isOwn } from '../write/drafts.ts';
import { type BodyMember, joinFrame, readSystemTexts, writeTools } from '../write/frame.ts';
import { makeSplicer, outsideOfList } from '../write/own-message.ts';
import {
  joinTexts,
  type MessageFormat,
  makeTranslator,
  type PortableBlock,
  toDataUrl,
  toJsonString,
} from '../write/translate.ts';
import type { Draft, Frame, FrameParts, RequestWriter, Target } from '../write/writer.ts';
import { DIALECT } from './provider.ts';
import { dropUnpairedComputers, repair, usesComputer, withClientCalls } from './repair-items.ts';
import { CACHE_MARKER, needsCiphertext, storeText, withCiphertext, writeParams } from './rules.ts';

const format: MessageFormat = {
  takesRefusals: true,
  /** Text and calls become items of their own, in their order. */
  message(role, said, _, losses) {
    const items: string[] = [];
    let parts: PortableBlock[] = [];
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

const { translate, result, userText } = /* @__PURE__ */ makeTranslator(format);

export const writer: RequestWriter = {
  splice: spliceMessage,
  translate(message, target, calls) {
    // An own message gets here if it is repeated, which the API refuses only for items with an id (`id-dup`).
    const isNameless = isOwn(message, target) && !message.facts.needs.length && !message.raw.includes('"id"');
    return isNameless ? spliceMessage(message, target, { dropBound: false }) : translate(message, target, calls);
  },
  result,
  userText,
  merge: () => undefined,
  resultsFollow: 'message',
  refusesRepeats: true,
  dropUnpaired: dropUnpairedComputers,
  usesServerTools: usesComputer,
  continues: ({ previous_response_id: response = 'null', conversation = 'null' }) =>
    response !== 'null' || conversation !== 'null',
  standsInline,
  frame,
};

type Role = 'system' | 'user' | 'assistant';
type PortableCall = PortableBlock & { type: 'call' };

/** Outputs of shells and patches have a status: without a result, the call is incomplete or failed. */
function outputMembers(type: string, output: string): string {
  if (type === 'shell_call')
    return `"status":"incomplete","output":[{"stdout":"","stderr":${output},"outcome":{"type":"timeout"}}]`;
  return `${type === 'apply_patch_call' ? '"status":"failed",' : ''}"output":${output}`;
}

/** Marks a failure in the first text, because the protocol has no error flag. */
function asError(said: readonly PortableBlock[]): readonly PortableBlock[] {
  const [first, ...more] = said;
  const [text, json, rest] = first?.type === 'text' ? [first.text, first.json, more] : ['', '""', said];
  return [{ type: 'text', text: `Error: ${text}`, json: `"Error: ${json.slice(1)}` }, ...rest];
}

/**
 * A single text of the assistant is sent as a plain string: without `id` and `annotations`, recorded traffic shows only
 * this form to be accepted (`content-type`).
 */
function messageItem(role: Role, said: readonly PortableBlock[]): string {
  const isOwn = role === 'assistant';
  const content = (isOwn ? plainText(said) : undefined) ?? partList(said, isOwn ? 'output_text' : 'input_text');
  return `{"role":"${role}","content":${content}}`;
}

/** The JSON string of a single text; undefined for anything else. */
function plainText(said: readonly PortableBlock[]): string | undefined {
  const [only] = said;
  return said.length === 1 && only?.type === 'text' ? only.json : undefined;
}

function partList(said: readonly PortableBlock[], textType: string): string {
  const parts = said.map((one) => {
    if (one.type === 'refusal') return `{"type":"refusal","refusal":${one.json}}`;
    return one.type === 'text' ? `{"type":"${textType}","text":${one.json}}` : one.type === 'media' ? one.part : '';
  });
  return `[${parts.join(',')}]`;
}

/** A custom call stays one, because its result has a form of its own. */
function callItem({ id, name, form, args }: PortableCall, losses: LossNote[]): string {
  const named = `"call_id":${JSON.stringify(id)},"name":${JSON.stringify(name)}`;
  if (form !== 'custom') return `{"type":"function_call",${named},"arguments":${toJsonString(args, '', losses)}}`;
  const input = textAt(args, ['input']) ?? args;
  return `{"type":"custom_tool_call",${named},"input":${input.startsWith('"') ? input : JSON.stringify(input)}}`;
}

function sourceText({ source, mediaType, name }: MediaBlock, urlName: 'image_url' | 'file_url'): string {
  if (source.kind === 'file') return `"file_id":${JSON.stringify(source.id)}`;
  if (source.kind === 'url') return `"${urlName}":${JSON.stringify(source.url)}`;
  const data = JSON.stringify(toDataUrl(mediaType, source.data));
  if (urlName === 'image_url') return `"image_url":${data}`;
  const filename = name ?? `document.${mediaType.slice(mediaType.indexOf('/') + 1)}`;
  return `"filename":${JSON.stringify(filename)},"file_data":${data}`;
}

const spliceItems = /* @__PURE__ */ makeSplicer({
  markers: [`content.*.${CACHE_MARKER}`, `output.*.${CACHE_MARKER}`],
  isDoubtful: ({ raw, facts }, target) => facts.needs.includes('bound') && needsCiphertext(target) && !isSealed(raw),
  repair,
  outside: outsideOfList,
});

/** Drafts a message of this API. Computer calls are not matched with results. */
export function spliceMessage(
  message: Message,
  target: Target,
  options: { readonly dropBound: boolean },
): readonly Draft[] {
  const drafts = spliceItems(message, target, options).map(withClientCalls);
  return message.raw.includes('"computer_call_output"') ? drafts.map((draft) => ({ ...draft, results: [] })) : drafts;
}

/** Whether every reasoning item has ciphertext, judged by counting. In doubt false: then the items are parsed. */
function isSealed(raw: string): boolean {
  const count = (pattern: RegExp): number => raw.match(pattern)?.length ?? 0;
  return !raw.includes('"compaction"') && count(/"reasoning"/g) === count(/"encrypted_content"\s*:\s*"/g);
}

/**
 * Writes the body around the items. Nothing in it depends on the items, so it stays the same from turn to turn. Tools are
 * sent with `strict: false`: without it, the API makes every schema strict, and so every optional argument required. To
 * get that, pass the tool in this API's own words.
 */
function frame(parts: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const instructions = instructionsText(parts.system, losses);
  const texts = writeTools(parts.tools, target, losses, ({ members, parameters }) => {
    return `{"type":"function",${members},"parameters":${parameters},"strict":false}`;
  });
  // In this protocol, a tool of the provider makes images.
  if (parts.params.modalities?.includes('image') && !texts.some((text) => text.includes('"image_generation"')))
    texts.push('{"type":"image_generation"}');
  const tools = texts.join(',');
  const head: BodyMember[] = [
    ['model', JSON.stringify(target.model)],
    ['instructions', instructions],
    ['tools', tools ? `[${tools}]` : undefined],
  ];
  // A stored prompt may have tools of its own.
  const hasTools = tools !== '' || 'tools' in parts.extra || 'prompt' in parts.extra;
  const include = needsCiphertext(target) ? withCiphertext(parts.extra.include) : undefined;
  const tail: BodyMember[] = [
    ['store', storeText(target)],
    ['include', include],
    ...writeParams(parts.params, hasTools, target, losses),
  ];
  return {
    ...joinFrame(head, 'input', tail, { ...parts.extra, ...(include && { include }) }),
    lead: [],
    base: `${instructions ?? ''}\n${tools}`,
    losses,
  };
}

/** A system message of this API that did not come from `instructions` stays an item. */
function standsInline(message: Message, target: Target): boolean {
  return isOwn(message, target) && ownInstructions(message) === undefined;
}

function instructionsText(system: readonly Message[], losses: LossNote[]): string | undefined {
  const own = system.length === 1 ? ownInstructions(system[0]!) : undefined;
  if (own !== undefined) return own;
  const texts = system.flatMap((message, index) => readSystemTexts(message, `system[${index}]`, losses));
  return texts.length > 0 ? joinTexts(texts) : undefined;
}

/** The exact text of a message that came from `instructions`. */
function ownInstructions({ raw, origin }: Message): string | undefined {
  const value = origin.dialect === DIALECT ? parseJson(raw) : undefined;
  if (!isObject(value) || value.role !== 'system' || typeof value.content !== 'string') return undefined;
  return Object.keys(value).length === 2 ? textAt(raw, ['content']) : undefined;
}
