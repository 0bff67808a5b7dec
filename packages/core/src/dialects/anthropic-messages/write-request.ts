import {
  addMember,
  elementTexts,
  find,
  findElements,
  isObject,
  type JsonObject,
  type Path,
  parseJson,
  removeItems,
  removeMembers,
  skipSpace,
  splice,
  textAt,
} from '../../json/index.ts';
import type { MediaBlock, Message } from '../../message/index.ts';
import { dropped, type LossNote, type LossReason, rewritten } from '../loss.ts';
import { inlineSystem, readQuirk } from '../provider.ts';
import { NO_CALLS } from '../write/drafts.ts';
import { type BodyMember, joinFrame, readSystemTexts, writeTools } from '../write/frame.ts';
import {
  formatPath,
  keptCalls,
  makeSplicer,
  mergeParts,
  type PartListFormat,
  type Repair,
  splitOwn,
} from '../write/own-message.ts';
import { type MessageFormat, makeTranslator, type PortableBlock, toArguments } from '../write/translate.ts';
import type { Draft, Frame, FrameParts, RequestWriter, Target } from '../write/writer.ts';
import { DIALECT } from './provider.ts';
import { fromBase64 } from './read-response.ts';
import {
  defaultMaxTokens,
  fitThinking,
  hasBadInput,
  innerLists,
  isEmptyText,
  isIncomplete,
  isSignedSummary,
  isStrictVersion,
  isThinking,
  isToolResult,
  isVisible,
  saysNothing,
  trimEnd,
  writeParams,
} from './rules.ts';

const format: MessageFormat = {
  blankIsEmpty: true,
  message(role, said) {
    const parts = said.map(part);
    return { text: messageText(role, parts), parts };
  },
  result({ id, isError, said }) {
    // An empty result has no content, because empty texts are refused (`empty-text`).
    const content = said.length > 0 ? `,"content":[${said.map(part).join(',')}]` : '';
    const failed = isError ? ',"is_error":true' : '';
    const block = `{"type":"tool_result","tool_use_id":${JSON.stringify(id)}${content}${failed}}`;
    return { text: messageText('user', [block]), parts: [block] };
  },
  media(block) {
    const source = sourceText(block);
    if (source === undefined) return undefined;
    if (block.mediaType.startsWith('image/')) return `{"type":"image","source":${source}}`;
    const title = block.name === undefined ? '' : `,"title":${JSON.stringify(block.name)}`;
    return `{"type":"document","source":${source}${title}}`;
  },
};

const { translate, result, userText } = /* @__PURE__ */ makeTranslator(format);

/** Results follow the whole turn, because the API joins the messages of a turn before it looks for them (recorded). */
export const writer: RequestWriter = {
  splice(message, target, options) {
    return message.facts.role === 'system' && inlineSystem(target) === 'never'
      ? translate(message, target, NO_CALLS)
      : spliceMessage(message, target, options);
  },
  translate(message, target, calls) {
    return splitOwn(message, target, calls, partList) ?? translate(message, target, calls);
  },
  result,
  userText,
  merge: (drafts) => mergeParts(drafts, partList),
  resultsFollow: 'turn',
  mark,
  trimEnd,
  dropUnpaired: dropUnpairedServerTools,
  usesServerTools,
  beginsConversation: (message) =>
    message.raw.includes('"compaction"') &&
    message.content.some((block) => block.type === 'unknown' && isSignedSummary(parseJson(block.native))),
  fitParams: fitThinking,
  frame,
  defaultMaxTokens,
};

/** Always a list of blocks, so that a cache marker changes only the marked block. */
function messageText(role: 'user' | 'assistant' | 'system', parts: readonly string[]): string {
  return `{"role":"${role}","content":[${parts.join(',')}]}`;
}

function textPart(json: string): string {
  return `{"type":"text","text":${json}}`;
}

function part(said: PortableBlock): string {
  if (said.type === 'media') return said.part;
  if (said.type !== 'call') return textPart(said.json);
  return `{"type":"tool_use","id":${JSON.stringify(said.id)},"name":${JSON.stringify(said.name)},"input":${said.args}}`;
}

/** Text documents are sent as text, and cannot be given by URL. */
function sourceText({ mediaType, source }: MediaBlock): string | undefined {
  const isText = mediaType === 'text/plain';
  if (source.kind === 'file') return `{"type":"file","file_id":${JSON.stringify(source.id)}}`;
  if (source.kind === 'url') return isText ? undefined : `{"type":"url","url":${JSON.stringify(source.url)}}`;
  if (mediaType.endsWith('/*')) return undefined;
  const data = isText ? fromBase64(source.data) : source.data;
  return data === undefined
    ? undefined
    : `{"type":"${isText ? 'text' : 'base64'}","media_type":${JSON.stringify(mediaType)},"data":${JSON.stringify(data)}}`;
}

/** A message of this API in its own text, changed only where the API would refuse it. */
const spliceMessage = /* @__PURE__ */ makeSplicer({
  isDoubtful: ({ raw, facts }, { provider }) =>
    isStrictVersion(provider) && raw.includes(facts.role === 'assistant' ? '"document"' : '"citations"'),
  repair(repair) {
    const { message, target, elsewhere, drop } = repair;
    const { content } = parseJson(message.raw) as JsonObject;
    if (!Array.isArray(content)) return isVisible(content) ? {} : undefined;
    const isStrict = isStrictVersion(target.provider);
    const reasons = findDropReasons(content, message.origin.cut === true, elsewhere).map((reason, index) => {
      const isDocument = isObject(content[index]) && content[index].type === 'document';
      return isStrict && message.facts.role === 'assistant' && isDocument ? (reason ?? 'unsupported-media') : reason;
    });
    const kept = content.filter((_, index) => reasons[index] === undefined);
    if (saysNothing(kept)) return undefined;
    content.forEach((block: unknown, index) => {
      const reason = reasons[index];
      if (reason) drop(['content', index], reason);
      else repairBlock(block, ['content', index], repair);
    });
    return { calls: keptCalls(message, reasons) };
  },
});

/** Tool results come first (`tool-result-not-first`). */
const partList: PartListFormat = {
  list: 'content',
  splice: spliceMessage,
  isResult: isToolResult,
  userMessage: (parts) => messageText('user', parts),
  textPart,
};

/** Why each block must be dropped, if so. Thinking is kept or dropped as a whole (`thinking-modified`), and is never last (`thinking-last`). */
function findDropReasons(
  content: readonly unknown[],
  cut: boolean,
  bound: LossReason | undefined,
): (LossReason | undefined)[] {
  const reasons = content.map((block): LossReason | undefined => {
    if (isThinking(block) && bound) return bound;
    if (isIncomplete(block, content, cut)) return 'cut';
    return isEmptyText(block) ? 'empty' : undefined;
  });
  const last = content[reasons.lastIndexOf(undefined)];
  const broken = isThinking(last) || content.some((block, index) => isThinking(block) && reasons[index] === 'cut');
  return broken ? reasons.map((reason, index) => reason ?? (isThinking(content[index]) ? 'cut' : undefined)) : reasons;
}

/** Removes a client's cache markers and empty texts inside a block, and replaces invalid input. */
function repairBlock(block: unknown, path: Path, repair: Repair): void {
  if (!isObject(block)) return;
  const { message, target, changes, losses, drop } = repair;
  if ('cache_control' in block) {
    changes.set([...path, 'cache_control']);
    losses.push(rewritten(formatPath(path), 'cache-marker'));
  }
  const { role } = message.facts;
  if (role !== 'assistant' && isStrictVersion(target.provider) && block.type === 'text' && 'citations' in block)
    drop([...path, 'citations'], 'refused-field');
  if (hasBadInput(block)) {
    const at = [...path, 'input'];
    const given = typeof block.input === 'string' ? block.input : (textAt(message.raw, at) ?? '');
    changes.set(at, toArguments(given, formatPath(at), losses));
  }
  for (const { path: inner, items } of innerLists(block))
    items.forEach((item, index) => {
      const at = [...path, ...inner, index];
      if (isEmptyText(item)) drop(at, 'empty');
      else repairBlock(item, at, repair);
    });
}

const MARKER = '{"type":"ephemeral"}';

/**
 * Adds a cache marker to the last block of a message or of a system text, or to the last of the tools, that may carry
 * one; undefined if there is none.
 */
export function mark(text: string): string | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return markValue(text, value);
  const content = find(text, ['content']);
  const marked = content && markValue(text.slice(content.start, content.end), value.content);
  return marked && splice(text, [{ ...content, text: marked }]);
}

function markValue(text: string, value: unknown): string | undefined {
  if (typeof value === 'string')
    return value === '' ? undefined : `[{"type":"text","text":${text},"cache_control":${MARKER}}]`;
  if (!Array.isArray(value)) return undefined;
  const index = value.findLastIndex(mayCarry);
  if (index < 0) return undefined;
  const at = findElements(text)[index]!.start;
  return splice(text, [addMember(text, at, 'cache_control', MARKER)]);
}

/** Whether a block or tool may carry a marker: not thinking (`extra-block`), empty text (`cache-empty`) or a deferred tool. */
function mayCarry(item: unknown): boolean {
  return isObject(item) && item.defer_loading !== true && !isThinking(item) && !isEmptyText(item);
}

/** Writes the body around the messages: model, system and tools before them, parameters behind them. */
export function frame(parts: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const system = systemText(parts.system, target, losses);
  const tools = toolsText(parts, target, losses);
  const { apiVersion } = target.provider;
  // Clouds have the model in the address, and the version in the body.
  const place = readQuirk(target, 'inAddress', '');
  const head: BodyMember[] = [
    place === '' ? ['model', JSON.stringify(target.model)] : ['anthropic_version', JSON.stringify(apiVersion)],
    ['system', (parts.cache.system && system && mark(system)) || system],
    ['tools', (parts.cache.tools && tools && mark(tools)) || tools],
  ];
  const hasTools = tools !== undefined || 'tools' in parts.extra;
  const { stream, ...others } = parts.params;
  const isInPath = String(place).includes('stream');
  const tail = writeParams(isInPath ? others : parts.params, target, hasTools, losses);
  return {
    ...joinFrame(head, 'messages', tail, parts.extra),
    lead: [],
    base: `${system ?? ''}\n${tools ?? ''}`,
    losses,
  };
}

/** The value of `system`: one plain text is a string, anything else a list of text blocks. */
function systemText(messages: readonly Message[], target: Target, losses: LossNote[]): string | undefined {
  const texts = messages.flatMap((message, index) => systemValue(message, `system[${index}]`, target, losses) ?? []);
  if (texts.length < 2) return texts[0];
  return `[${texts.flatMap((text) => (text.startsWith('[') ? elementTexts(text) : [textPart(text)])).join(',')}]`;
}

/** The value of `system` for one message: its own text, or its texts. */
function systemValue(message: Message, path: string, target: Target, losses: LossNote[]): string | undefined {
  if (message.origin.dialect !== DIALECT) {
    const texts = readSystemTexts(message, path, losses);
    return texts.length < 2 ? texts[0] : `[${texts.map(textPart).join(',')}]`;
  }
  const [own] = spliceMessage(message, target);
  losses.push(...(own?.losses ?? []).map((note) => ({ ...note, path: `${path}.${note.path}` })));
  return own && textAt(own.text, ['content']);
}

function toolsText(parts: FrameParts, target: Target, losses: LossNote[]): string | undefined {
  const texts = writeTools(parts.tools, target, losses, ({ members, parameters, path }) => {
    return `{${members},"input_schema":${schemaText(parameters, path, losses)}}`;
  });
  return texts.length > 0
    ? `[${texts.map((text, index) => withoutMarker(text, `tools[${index}]`, losses)).join(',')}]`
    : undefined;
}

/** The schema as it was given, with `"type":"object"` if it has no type (`tool-schema`). */
function schemaText(text: string, path: string, losses: LossNote[]): string {
  const value = parseJson(text);
  if (!isObject(value) || value.type !== undefined) return text;
  losses.push(rewritten(`${path}.parameters`, 'parameter', 'type: object'));
  return splice(text, [addMember(text, skipSpace(text, 0), 'type', '"object"')]);
}

function withoutMarker(text: string, path: string, losses: LossNote[]): string {
  const edits = removeMembers(text, 0, (name) => name === 'cache_control');
  if (edits.length > 0) losses.push(rewritten(path, 'cache-marker'));
  return splice(text, edits);
}

const MENTIONED = /_tool_(?:use|result)"/;
const CALL = /^(?:server|mcp)_tool_use$/;
const RESULT = /_tool_result$/;

/**
 * Drops server-side calls that will not be answered any more (`server-tool-unanswered`) and results without their call
 * (`server-result-orphan`). Both stand in assistant messages; a paused turn spreads them over two. If `isWhole` is false,
 * the calls may precede these drafts.
 */
function dropUnpairedServerTools(drafts: readonly Draft[], isWhole: boolean): ReadonlyMap<number, Draft | undefined> {
  const changed = new Map<number, Draft | undefined>();
  const called = new Set<unknown>();
  drafts.forEach((draft, index) => {
    const blocks = serverBlocks(draft);
    const gone = new Set<number>();
    blocks.forEach((block, place) => {
      if (hasType(block, CALL)) {
        called.add(block.id);
        if (isAbandoned(block.id, place, blocks, drafts.slice(index + 1))) gone.add(place);
      } else if (isWhole && hasType(block, RESULT) && !called.has(block.tool_use_id)) gone.add(place);
    });
    if (gone.size > 0) changed.set(index, without(draft, blocks, gone));
  });
  return changed;
}

/** Whether a draft calls or answers server-side tools. */
function usesServerTools(draft: Draft): boolean {
  return serverBlocks(draft).length > 0;
}

function hasType(block: unknown, pattern: RegExp): block is JsonObject {
  return isObject(block) && pattern.test(String(block.type));
}

/** The blocks of an assistant draft that mentions server-side tools; most do not. Each draft is parsed once. */
function serverBlocks(draft: Draft): readonly unknown[] {
  const known = looked.get(draft);
  if (known) return known;
  const content: unknown =
    draft.role === 'assistant' && MENTIONED.test(draft.text) ? parseJson(textAt(draft.text, ['content'])!) : [];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  looked.set(draft, blocks);
  return blocks;
}

const looked = new WeakMap<Draft, readonly unknown[]>();

/** Whether a call has no result, and something other than results of client tools follows it. */
function isAbandoned(id: unknown, place: number, blocks: readonly unknown[], later: readonly Draft[]): boolean {
  const answers = (block: unknown): boolean => hasType(block, RESULT) && block.tool_use_id === id;
  if (blocks.slice(place + 1).some(answers) || later.some((draft) => serverBlocks(draft).some(answers))) return false;
  return later.some(({ role, text }) => role !== 'tool' && !(role === 'assistant' && text.includes(String(id))));
}

/** The draft without these blocks. Thinking was signed together with the blocks around it, so it is dropped, too. */
function without(draft: Draft, blocks: readonly unknown[], gone: ReadonlySet<number>): Draft | undefined {
  const losses: LossNote[] = [...draft.losses];
  const leaves = (index: number): boolean => gone.has(index) || isThinking(blocks[index]);
  blocks.forEach((_, index) => {
    if (leaves(index)) losses.push(dropped(`content[${index}]`, gone.has(index) ? 'server-tool' : 'prefix-bound'));
  });
  if (saysNothing(blocks.filter((_, index) => !leaves(index)))) return undefined;
  const ranges = findElements(draft.text, find(draft.text, ['content'])!.start);
  const text = splice(draft.text, removeItems(ranges, leaves));
  return { ...draft, text, pieces: undefined, bound: undefined, losses };
}
