import {
  elementTexts,
  find,
  findElements,
  isObject,
  type JsonObject,
  type Path,
  parseJson,
  removeItems,
  splice,
  textAt,
} from '../../json/index.ts';
import type { MediaBlock, Message } from '../../message/index.ts';
import { fitThinking } from '../anthropic-messages/rules.ts';
import { type LossNote, type LossReason, rewritten, synthesised } from '../loss.ts';
import { readQuirk } from '../provider.ts';
import { isOwn, NO_CALLS, targetToolName } from '../write/drafts.ts';
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
import type { Draft, Frame, FrameParts, MarkablePart, RequestWriter, Target } from '../write/writer.ts';
import { mediaFormat } from './read-response.ts';
import {
  failsSilently,
  findReasoning,
  hasBadInput,
  isBlankText,
  isCachePoint,
  isIncomplete,
  isSigned,
  isToolResult,
  saysNothing,
  trimEnd,
  writeChoice,
  writeParams,
} from './rules.ts';

const format: MessageFormat = {
  blankIsEmpty: true,
  message(role, said, _target, losses) {
    const parts = said.filter((one) => one.type !== 'text' || one.text.trim() !== '').map(part);
    // A document needs a text beside it (`document-text`).
    const isBare =
      parts.some((text) => text.startsWith('{"document"')) && !parts.some((text) => text.startsWith('{"text"'));
    if (isBare) losses.push(synthesised('', 'empty', DOCUMENT_TEXT));
    const all = isBare ? [textPart(JSON.stringify(DOCUMENT_TEXT)), ...parts] : parts;
    return { text: messageText(role === 'assistant' ? role : 'user', all), parts: all };
  },
  result({ id, isError, said }) {
    const content = said.filter((one) => one.type !== 'text' || one.text.trim() !== '').map(part);
    const status = isError ? ',"status":"error"' : '';
    const block = `{"toolResult":{"toolUseId":${JSON.stringify(id)},"content":[${content.join(',')}]${status}}}`;
    return { text: messageText('user', [block]), parts: [block] };
  },
  media: mediaPart,
};

const DOCUMENT_TEXT = 'A document:';

const { translate, result, userText } = /* @__PURE__ */ makeTranslator(format);

/** Roles alternate, so a turn is one message, and the results of its calls are in the next one, with what the user says. */
export const writer: RequestWriter = {
  splice: spliceMessage,
  translate(message, target, calls) {
    return splitOwn(message, target, calls, partList) ?? translate(message, target, calls);
  },
  result,
  userText,
  merge: (drafts) => mergeParts(drafts, partList) ?? mergeAssistant(drafts),
  resultsFollow: 'turn',
  resultsAreUsers: true,
  mark,
  markable: (target) =>
    String(readQuirk(target, 'cache', ''))
      .split(' ')
      .filter(Boolean) as MarkablePart[],
  trimEnd,
  fitParams: (target, count, textOf, losses) => fitThinking(target, count, textOf, losses, isToolResult, findReasoning),
  frame,
};

function messageText(role: 'user' | 'assistant', parts: readonly string[]): string {
  return `{"role":"${role}","content":[${parts.join(',')}]}`;
}

function textPart(json: string): string {
  return `{"text":${json}}`;
}

function part(said: PortableBlock): string {
  if (said.type === 'media') return said.part;
  if (said.type !== 'call') return textPart(said.json);
  return `{"toolUse":{"toolUseId":${JSON.stringify(said.id)},"name":${JSON.stringify(said.name)},"input":${said.args}}}`;
}

/** Media by its bytes or by its place in S3; other addresses are not taken. */
function mediaPart({ mediaType, source, name }: MediaBlock): string | undefined {
  const found = mediaFormat(mediaType);
  if (!found || source.kind === 'file' || (source.kind === 'url' && !source.url.startsWith('s3://'))) return undefined;
  const from = source.kind === 'url' ? { s3Location: { uri: source.url } } : { bytes: source.data };
  const called = found.kind === 'document' ? { name: documentName(name ?? '') } : {};
  return JSON.stringify({ [found.kind]: { format: found.format, ...called, source: from } });
}

/** `document-name` */
function documentName(name: string): string {
  return (
    name
      .replace(/[^a-zA-Z0-9()[\]\s-]+/g, '-')
      .replace(/\s+/g, ' ')
      .slice(0, 200) || 'document'
  );
}

/** Assistant messages in a row as one, which the API wants (`roles-alternate`). */
function mergeAssistant(drafts: readonly Draft[]): Draft | undefined {
  if (drafts.some(({ role }) => role !== 'assistant')) return undefined;
  const parts = drafts.flatMap(({ text }) => elementTexts(textAt(text, ['content'])!));
  return {
    role: 'assistant',
    text: messageText('assistant', parts),
    calls: drafts.flatMap(({ calls }) => calls),
    results: [],
    losses: [],
  };
}

const splicer = /* @__PURE__ */ makeSplicer({
  isDoubtful: (message, target) => message.facts.needs.includes('bound') && signs(target),
  repair(repair) {
    const { message, elsewhere, drop, target } = repair;
    const { content } = parseJson(message.raw) as JsonObject;
    if (!Array.isArray(content)) return undefined;
    const reasons = findDropReasons(content, message.origin.cut === true, elsewhere, signs(target));
    const kept = content.filter((_, index) => reasons[index] === undefined);
    if (saysNothing(kept)) return undefined;
    content.forEach((block: unknown, index) => {
      const path = ['content', index];
      if (isCachePoint(block)) {
        repair.changes.set(path);
        repair.losses.push(rewritten(formatPath(path), 'cache-marker'));
      } else if (reasons[index]) drop(path, reasons[index]);
      else repairBlock(block, path, repair);
    });
    // The blocks of a message have no cache points among them.
    return {
      calls: keptCalls(
        message,
        reasons.filter((_, index) => !isCachePoint(content[index])),
      ),
    };
  },
});

function spliceMessage(...given: Parameters<RequestWriter['splice']>): readonly Draft[] {
  return given[0].facts.role === 'system' ? translate(given[0], given[1], NO_CALLS) : splicer(...given);
}

/** Tool results come first, as the models of Anthropic want them (`tool-result-not-first`). */
const partList: PartListFormat = {
  list: 'content',
  splice: spliceMessage,
  isResult: isToolResult,
  userMessage: (parts) => messageText('user', parts),
  textPart,
};

/** Whether the model takes only reasoning that it signed (`signature`). */
function signs(target: Target): boolean {
  return readQuirk(target, 'signs', true) === true;
}

/** Why each block must be dropped, if so. Reasoning is kept or dropped as a whole, and is never last (`thinking-last`). */
function findDropReasons(
  content: readonly unknown[],
  cut: boolean,
  bound: LossReason | undefined,
  signing: boolean,
): (LossReason | undefined)[] {
  const reasons = content.map((block): LossReason | undefined => {
    const thought = findReasoning(block);
    if (thought && bound) return bound;
    if (isIncomplete(block, content, cut) || (thought && signing && !isSigned(thought))) return 'cut';
    return isBlankText(block) ? 'empty' : undefined;
  });
  const last = content[reasons.lastIndexOf(undefined)];
  const isBroken =
    isSigned(findReasoning(last)) || content.some((block, index) => findReasoning(block) && reasons[index] === 'cut');
  return isBroken
    ? reasons.map((reason, index) => reason ?? (findReasoning(content[index]) ? 'cut' : undefined))
    : reasons;
}

/** Replaces invalid input, and removes blank texts of a result, which a failed one must not be left without. */
function repairBlock(block: unknown, path: Path, { message, changes, losses, drop }: Repair): void {
  if (hasBadInput(block)) {
    const at = [...path, 'toolUse', 'input'];
    const { input } = (block as { toolUse: JsonObject }).toolUse;
    const given = typeof input === 'string' ? input : (textAt(message.raw, at) ?? '');
    changes.set(at, toArguments(given, formatPath(at), losses));
  }
  if (!isToolResult(block)) return;
  const at = [...path, 'toolResult', 'content'];
  if (failsSilently(block)) {
    changes.set(at, `[${textPart(JSON.stringify(FAILED))}]`);
    losses.push(synthesised(formatPath(at), 'empty', FAILED));
    return;
  }
  const { content } = block.toolResult;
  if (!Array.isArray(content)) return;
  content.forEach((inner: unknown, index) => {
    if (isBlankText(inner)) drop([...at, index], 'empty');
  });
}

const FAILED = 'The tool call failed.';

const CACHE_POINT = '{"cachePoint":{"type":"default"}}';

/** Adds a cache point at the end of a message, of the system text or of the tools; undefined if nothing precedes it. */
function mark(text: string): string | undefined {
  const list = text.startsWith('[') ? { start: 0 } : find(text, ['content']);
  const last = list && findElements(text, list.start).at(-1);
  if (!last) return undefined;
  const isThought = findReasoning(parseJson(text.slice(last.start, last.end)));
  return isThought ? undefined : splice(text, [{ start: last.end, end: last.end, text: `,${CACHE_POINT}` }]);
}

/** Writes the body around the messages: system and tools before them, parameters behind them. */
function frame(parts: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const system = systemText(parts.system, target, losses);
  const tools = toolsText(parts, target, losses);
  const choice = writeChoice(parts.params, target, tools !== undefined, losses);
  const offered = (parts.cache.tools && tools && mark(tools)) || tools;
  const config = offered && `{"tools":${offered}${choice === undefined ? '' : `,"toolChoice":${choice}`}}`;
  const head: BodyMember[] = [
    ['system', (parts.cache.system && system && mark(system)) || system],
    ['toolConfig', config],
  ];
  return {
    ...joinFrame(head, 'messages', writeParams(parts.params, target, losses), parts.extra),
    lead: [],
    base: `${system ?? ''}\n${tools ?? ''}`,
    losses,
  };
}

/** The value of `system`: a list of texts. Those of this API keep their own text, but for cache points. */
function systemText(messages: readonly Message[], target: Target, losses: LossNote[]): string | undefined {
  const texts = messages.flatMap((message, index) => {
    const path = `system[${index}]`;
    if (!isOwn(message, target)) return readSystemTexts(message, path, losses).map(textPart);
    const content = textAt(message.raw, ['content'])!;
    return elementTexts(withoutCachePoints(content, path, losses)).filter((block) => !isBlankText(parseJson(block)));
  });
  return texts.length > 0 ? `[${texts.join(',')}]` : undefined;
}

function withoutCachePoints(list: string, path: string, losses: LossNote[]): string {
  const values = parseJson(list) as readonly unknown[];
  const edits = removeItems(findElements(list), (index) => isCachePoint(values[index]));
  if (edits.length > 0) losses.push(rewritten(path, 'cache-marker'));
  return splice(list, edits);
}

/** Calls in the history need tools in the request (`tool-config`): without any, those that were called are named. */
function toolsText(parts: FrameParts, target: Target, losses: LossNote[]): string | undefined {
  const texts = writeTools(parts.tools, target, losses, ({ members, parameters }) => specText(members, parameters));
  const kept = texts.filter((text) => {
    const isPoint = isCachePoint(parseJson(text));
    if (isPoint) losses.push(rewritten('tools', 'cache-marker'));
    return !isPoint;
  });
  if (kept.length === 0 && !('toolConfig' in parts.extra))
    for (const name of new Set(parts.called())) {
      kept.push(
        specText(`"name":${JSON.stringify(targetToolName(name, target.provider.policies, 'tools', []))}`, '{}'),
      );
      losses.push(synthesised('tools', 'parameter', name));
    }
  return kept.length > 0 ? `[${kept.join(',')}]` : undefined;
}

/** The schema as it was given, with `"type":"object"` if it has no type (`tool-schema`). */
function specText(members: string, parameters: string): string {
  const value = parseJson(parameters);
  const isTyped = !isObject(value) || value.type !== undefined;
  const inner = parameters.slice(1, -1).trim();
  const schema = isTyped ? parameters : `{"type":"object"${inner && `,${inner}`}}`;
  return `{"toolSpec":{${members},"inputSchema":{"json":${schema}}}}`;
}
