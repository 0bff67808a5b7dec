import { Changes, isObject, isText, type JsonObject, type Path, parseJson, splice, textAt } from '../../json/index.ts';
import type { MediaBlock, Message } from '../../message/index.ts';
import { dropped, type LossNote, type LossReason, rewritten } from '../loss.ts';
import { readQuirk } from '../provider.ts';
import { isOwn } from '../write/drafts.ts';
import { type BodyMember, joinFrame, readSystemTexts, writeTools } from '../write/frame.ts';
import { formatPath, makeSplicer, type OwnRules, outsideOfList } from '../write/own-message.ts';
import {
  joinTexts,
  type MessageFormat,
  makeTranslator,
  type PortableBlock,
  toArguments,
  toDataUrl,
} from '../write/translate.ts';
import type { Draft, Frame, FrameParts, RequestWriter, Target } from '../write/writer.ts';
import { type Item, isAssistantMessage, isReasoning, readItems } from './items.ts';
import { DIALECT } from './provider.ts';
import {
  CACHE_MARKER,
  hasMalformedArguments,
  isBound,
  isEmptyMessage,
  isIncomplete,
  mark,
  needsCiphertext,
  storeText,
  withCiphertext,
  writeParams,
} from './rules.ts';

const format: MessageFormat = {
  takesRefusals: true,
  /** Text and calls become items of their own, in their order. */
  message(role, said) {
    const items: string[] = [];
    let parts: PortableBlock[] = [];
    for (const one of [...said, undefined]) {
      if (one && one.type !== 'call') {
        parts.push(one);
        continue;
      }
      if (parts.length > 0) items.push(messageItem(role, parts));
      if (one) items.push(callItem(one));
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
    return isNameless ? spliceMessage(message, target) : translate(message, target, calls);
  },
  result,
  userText,
  merge: () => undefined,
  resultsFollow: 'message',
  refusesRepeats: true,
  mark,
  markable: (target) => (readQuirk(target, 'breakpoints', false) ? ['messages'] : []),
  lateCalls({ raw }) {
    if (!raw.includes('"async"')) return [];
    return readItems(raw).items.flatMap(({ value }) =>
      isObject(value) && value.async === true && isText(value.call_id) ? value.call_id : [],
    );
  },
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
  if (first?.type !== 'text') return asError([{ type: 'text', text: '', json: '""' }, ...said]);
  return [{ ...first, json: `"Error: ${first.json.slice(1)}` }, ...more];
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
function callItem({ id, name, form, args }: PortableCall): string {
  const named = `"call_id":${JSON.stringify(id)},"name":${JSON.stringify(name)}`;
  if (form !== 'custom') return `{"type":"function_call",${named},"arguments":${JSON.stringify(args)}}`;
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

/** Changes a message of this API into one that it takes back; returns undefined if nothing is left to send. */
const repair: OwnRules['repair'] = ({ message, target, elsewhere, changes, losses }) => {
  const { raw, facts } = message;
  const { items, isTurn } = readItems(raw);
  const fates = decideFates(items, message, target, elsewhere);
  const kept = items.map((item) => item.value).filter((_, index) => !fates[index]!.drop);
  // A turn whose items are all dropped reports each of them.
  const isGone = isTurn && items.length > 0 && kept.length === 0;
  if (!isGone && kept.every(isEmptyMessage)) return undefined;
  items.forEach(({ value }, index) => {
    const fate = fates[index]!;
    const at = (...names: string[]): Path => (isTurn ? [index, ...names] : names);
    if (!fate.drop && hasMalformedArguments(value)) {
      const standIn = toArguments(value.arguments, formatPath(at('arguments')), losses);
      changes.set(at('arguments'), JSON.stringify(standIn));
    }
    applyFate(fate, value, at, changes, losses);
  });
  const left = kept.map((item) => isObject(item) && item.call_id);
  return kept.length === items.length ? {} : { calls: facts.calls.filter(({ id }) => left.includes(id)) };
};

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
  options?: { readonly dropBound?: boolean },
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

/** Drops items from a draft, together with those that cannot stay without them. */
function withoutItems(draft: Draft, isGone: (item: JsonObject) => boolean): Draft {
  const raw = `[${draft.text}]`;
  const { items } = readItems(raw);
  const fates = items.map(({ value }): Fate => (isObject(value) && isGone(value) ? { drop: 'server-tool' } : {}));
  if (!fates.some(({ drop }) => drop)) return draft;
  applyDependencies(items, fates);
  const changes = new Changes();
  const losses = [...draft.losses];
  for (const [index, { value }] of items.entries())
    applyFate(fates[index]!, value, (...names) => [index, ...names], changes, losses);
  return { ...draft, text: splice(raw, changes.edits(raw)).slice(1, -1), pieces: undefined, losses };
}

/** What happens to an item: it is dropped, it loses its id, or it stays as it is. */
interface Fate {
  drop?: LossReason;
  /** Why the `id` is removed: its reasoning is dropped, or it is incomplete. */
  unnamed?: LossReason;
}

/** Items that the API takes only with their id (`required`). */
const NAMED = /^(?:(?:code_interpreter|file_search|image_generation|web_search)_call|mcp_.*|program.*)$/;

/** Applies an item's fate to the text. */
function applyFate(
  { drop, unnamed }: Fate,
  value: unknown,
  at: (...names: string[]) => Path,
  changes: Changes,
  losses: LossNote[],
): void {
  if (drop) {
    changes.set(at());
    losses.push(dropped(formatPath(at()), drop));
  } else if (unnamed) {
    changes.set(at('id'));
    losses.push(rewritten(formatPath(at('id')), unnamed));
    if (isObject(value) && value.status === 'in_progress') changes.set(at('status'));
  }
}

function decideFates(
  items: readonly Item[],
  message: Message,
  target: Target,
  elsewhere: LossReason | undefined,
): Fate[] {
  const isCut = message.origin.cut === true && items.some(({ value }) => isIncomplete(value));
  const mustBeSealed = needsCiphertext(target);
  const fates = items.map(({ value }): Fate => {
    if (isBound(value) && elsewhere) return { drop: elsewhere };
    if (isReasoning(value))
      return mustBeSealed && typeof value.encrypted_content !== 'string' ? { drop: 'refused-field' } : {};
    if (!isCut || !isIncomplete(value)) return {};
    return isAssistantMessage(value) && !isEmptyMessage(value) ? { unnamed: 'cut' } : { drop: 'cut' };
  });
  applyDependencies(items, fates);
  return fates;
}

/** Drops and renames items that depend on dropped ones. */
function applyDependencies(items: readonly Item[], fates: Fate[]): void {
  dropUnfollowed(items, fates);
  unnameOrphans(items, fates);
}

/** Reasoning must directly precede the item that it was produced with (`reasoning-following`). */
function dropUnfollowed(items: readonly Item[], fates: Fate[]): void {
  for (let index = items.length - 1; index >= 0; index--) {
    const next = fates[index + 1];
    if (isReasoning(items[index]!.value) && !fates[index]!.drop && (!next || next.drop || next.unnamed))
      fates[index] = { drop: next?.drop ?? 'cut' };
  }
}

/** An item with an id requires its reasoning, an item without one does not (`missing-reasoning`). */
function unnameOrphans(items: readonly Item[], fates: Fate[]): void {
  let missing: LossReason | undefined;
  items.forEach(({ value }, index) => {
    const fate = fates[index]!;
    if (isReasoning(value)) missing = fate.drop;
    else if (missing && !fate.drop && isObject(value) && 'id' in value)
      fates[index] = NAMED.test(String(value.type)) ? { drop: 'server-tool' } : { ...fate, unnamed: missing };
  });
}

/** Calls of the provider's tools that the client runs. They are not blocks, but must be answered nevertheless. */
const RUN_BY_CLIENT = /"((?:local_)?shell|apply_patch)_call"/;

/** Adds these calls to those of a draft. A call that ran on the server has its output beside it, and needs no answer. */
function withClientCalls(draft: Draft): Draft {
  if (draft.role !== 'assistant' || !RUN_BY_CLIENT.test(draft.text)) return draft;
  const items = readItems(`[${draft.text}]`)
    .items.map(({ value }) => value)
    .filter(isObject);
  const open = items.filter(
    (item) =>
      RUN_BY_CLIENT.test(JSON.stringify(item.type)) &&
      !items.some(({ type, call_id: id }) => type === `${item.type}_output` && id === item.call_id),
  );
  const calls = open.flatMap(({ type, call_id: id }) =>
    isText(id) ? { id, name: String(type), form: String(type) } : [],
  );
  return { ...draft, calls: [...draft.calls, ...calls] };
}

/** Whether a draft calls a computer or shows its screen. */
function usesComputer({ text }: Draft): boolean {
  return text.includes('"computer_call');
}

/** Drops computer calls without a screenshot, which nothing can replace (`call-unanswered`). */
function dropUnpairedComputers(drafts: readonly Draft[]): ReadonlyMap<number, Draft | undefined> {
  const changed = new Map<number, Draft | undefined>();
  const isCaller = ({ role, text }: Draft): boolean => role === 'assistant' && text.includes('"computer_call"');
  if (!drafts.some(isCaller)) return changed;
  const screens = drafts.filter(({ text }) => text.includes('"computer_call_output"')).map(({ text }) => text);
  drafts.forEach((draft, index) => {
    if (!isCaller(draft)) return;
    const rest = withoutItems(
      draft,
      ({ type, call_id: id }) => type === 'computer_call' && !screens.some((text) => text.includes(JSON.stringify(id))),
    );
    if (rest !== draft) changed.set(index, rest.text.trim() ? rest : undefined);
  });
  return changed;
}
