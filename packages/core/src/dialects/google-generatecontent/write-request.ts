import { textAt } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import { dropped, type LossNote, rewritten, synthesised } from '../loss.ts';
import { NO_CALLS, VIEW_ID } from '../write/drafts.ts';
import { type BodyMember, joinFrame, readSystemTexts, writeTools } from '../write/frame.ts';
import {
  makeSplicer,
  mergeParts,
  type OwnRules,
  type PartListFormat,
  type Repair,
  splitOwn,
} from '../write/own-message.ts';
import {
  areArguments,
  joinTexts,
  type MessageFormat,
  makeTranslator,
  type PortableBlock,
  toArguments,
} from '../write/translate.ts';
import type { Frame, FrameParts, RequestWriter, Target } from '../write/writer.ts';
import {
  addCall,
  type Call,
  field,
  fieldText,
  findKeys,
  isField,
  listTexts,
  type Part,
  readArguments,
  readContent,
} from './parts.ts';
import { google } from './provider.ts';
import { isHollow, isNameless, isSignatureRequired, writeParams } from './rules.ts';

const format: MessageFormat = {
  message(role, said, target, losses) {
    // Always on the first call, so that later requests begin with the same text.
    const signed = isSignatureRequired(target) ? said.findIndex(({ type }) => type === 'call') : -1;
    if (signed >= 0) losses.push(synthesised(`parts[${signed}]`, 'signature-placeholder'));
    const parts = said.map((item, index) => part(item, index === signed));
    return role === 'assistant' ? { text: contentText('model', parts) } : { text: contentText('user', parts), parts };
  },
  result({ id, name, isError, said }) {
    const text = joinTexts(said.flatMap((item) => ('json' in item ? [item.json] : [])));
    const media = said.flatMap((item) => (item.type === 'media' ? [item.part] : []));
    const inside = media.length > 0 ? `,"parts":[${media.join(',')}]` : '';
    const response = `{"${isError ? 'error' : 'output'}":${text}}`;
    const parts = [`{"functionResponse":{${nameMembers(id, name)},"response":${response}${inside}}}`];
    return { text: contentText('user', parts), parts };
  },
  /** Inline data requires an exact type, and a file requires a URI. */
  media({ mediaType, source }) {
    const isExact = !mediaType.endsWith('/*');
    const type = isExact ? `"mimeType":${JSON.stringify(mediaType)},` : '';
    if (source.kind === 'base64')
      return isExact ? `{"inlineData":{${type}"data":${JSON.stringify(source.data)}}}` : undefined;
    const uri = source.kind === 'file' ? source.id : source.url;
    return uri.includes(':') ? `{"fileData":{${type}"fileUri":${JSON.stringify(uri)}}}` : undefined;
  },
};

const { translate, result, userText } = /* @__PURE__ */ makeTranslator(format);

/** Google's messages have no cache markers: it caches automatically, or by name (`cachedContent`). */
export const writer: RequestWriter = {
  splice(message, target, options) {
    return message.facts.role === 'system'
      ? translate(message, target, NO_CALLS)
      : spliceMessage(message, target, options);
  },
  translate(message, target, calls) {
    return splitOwn(message, target, calls, partList) ?? translate(message, target, calls);
  },
  result,
  userText,
  merge: (drafts) => mergeParts(drafts, partList),
  // Adjacent contents of one role are one turn, whose calls must be answered together (`count`).
  resultsFollow: 'turn',
  resultsInOrder: true,
  callsFollowUser: true,
  frame,
};

/** Passes validation in place of a signature: Google's documented way to send calls without one (`escape`). */
const PLACEHOLDER = '"skip_thought_signature_validator"';

function contentText(role: 'user' | 'model', parts: readonly string[]): string {
  return `{"role":"${role}","parts":[${parts.join(',')}]}`;
}

function textPart(json: string): string {
  return `{"text":${json}}`;
}

function part(said: PortableBlock, isSigned: boolean): string {
  if (said.type === 'media') return said.part;
  if (said.type !== 'call') return textPart(said.json);
  const signature = isSigned ? `,"thoughtSignature":${PLACEHOLDER}` : '';
  return `{"functionCall":{${nameMembers(said.id, said.name)},"args":${said.args}}${signature}}`;
}

/** Leaves out ids that only the view made up. */
function nameMembers(id: string, name: string): string {
  return `${id.startsWith(VIEW_ID) ? '' : `"id":${JSON.stringify(id)},`}"name":${JSON.stringify(name)}`;
}

const SIGNATURE = 'thoughtSignature';

/** Changes a content where it would be refused. Returns the calls and results that are kept. */
const repair: OwnRules['repair'] = (repairing) => {
  const { message, target, elsewhere, changes, losses, drop } = repairing;
  const { parts } = readContent(message.raw);
  const calls: Call[] = [];
  const callsByPart = parts.map((part, index) => addCall(calls, index, part.value, part.text));
  const signed = isSignatureRequired(target) ? calls.find((call) => !call.isOpen) : undefined;
  const kept = parts.filter((part, index) => {
    const call = callsByPart[index];
    const path = `parts[${index}]`;
    const given = (call?.parts ?? [index]).map((at) => fieldText(parts[at]!.text, parts[at]!.value, SIGNATURE));
    const found = given.find((text) => text !== undefined && text !== '""');
    const usable = elsewhere ? undefined : found;
    const isHollowPart = isHollow(part);
    // The first part of a call stands for all of them.
    const isMerged = call !== undefined && call.parts[0] !== index;
    const isEmpty = (isHollowPart && usable === undefined) || (!call && isNameless(part));
    if (isMerged) changes.set(part.path);
    else if (call?.isOpen || isEmpty) drop(part.path, call ? 'cut' : (found && elsewhere) || 'empty');
    if (isMerged || call?.isOpen || isEmpty) return false;
    if (found !== usable) losses.push(dropped(path, elsewhere!));
    else if (isHollowPart || given.includes('""')) losses.push(rewritten(path, 'empty'));
    if (isHollowPart) changes.set([...part.path, 'text'], '""');
    const isUnsigned = call !== undefined && call === signed && usable === undefined;
    if (isUnsigned) losses.push(synthesised(path, 'signature-placeholder'));
    const signature = isUnsigned ? PLACEHOLDER : usable;
    if (signature !== given[0]) setField(repairing, part, [SIGNATURE], signature);
    if (call) repairArguments(repairing, part, call, path);
    return true;
  });
  const results = parts.filter(({ value }) => field(value, 'functionResponse'));
  const { facts } = message;
  return kept.length > 0
    ? {
        calls: facts.calls.filter((_, index) => !calls[index]!.isOpen),
        results: facts.results.filter((_, index) => kept.includes(results[index]!)),
      }
    : undefined;
};

/** Writes arguments that came in pieces as one object, and replaces arguments that are not an object (`struct`). */
function repairArguments(repair: Repair, part: Part, call: Call, path: string): void {
  const text = readArguments(call);
  if (!call.pieces && areArguments(text)) return;
  if (call.pieces) repair.losses.push(rewritten(path, 'merged'));
  const args = toArguments(text, `${path}.functionCall.args`, repair.losses);
  setField(repair, part, ['functionCall', 'partialArgs'], undefined);
  setField(repair, part, ['functionCall', 'willContinue'], undefined);
  setField(repair, part, ['functionCall', 'args'], args);
}

/** Replaces, removes or adds a field. */
function setField(
  { changes }: Repair,
  { path, value }: Part,
  names: readonly string[],
  text: string | undefined,
): void {
  const outer = names.slice(0, -1);
  changes.set([...path, ...(findKeys(value, names) ?? [...findKeys(value, outer)!, ...names.slice(-1)])], text);
}

const spliceMessage = /* @__PURE__ */ makeSplicer({ isDoubtful: isPossiblyUnsigned, repair });

const partList: PartListFormat = {
  list: 'parts',
  splice: spliceMessage,
  isResult: (part) => field(part, 'functionResponse') !== undefined,
  userMessage: (parts) => contentText('user', parts),
  textPart,
};

/** Whether the first call may lack its signature (`sig-missing`). Models that sign always sign the first call. */
function isPossiblyUnsigned({ facts, origin }: Message, target: Target): boolean {
  if (facts.calls.length === 0 || !isSignatureRequired(target)) return false;
  const isSigned = origin.model !== undefined && isSignatureRequired(target, origin.model);
  return !(isSigned && facts.needs.includes('bound'));
}

/** Writes the body around the contents. Model and streaming are part of the path, not of the body. */
function frame({ system, tools, params, extra }: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const instruction = systemText(system, losses);
  const declared = toolsText(tools, target, losses);
  const head: BodyMember[] = [
    ['systemInstruction', instruction],
    ['tools', declared],
  ];
  const tail = writeParams(params, declared !== undefined || 'tools' in extra, target, losses);
  // A member in its other spelling is the same member, and two of them would be refused.
  const camelCased = Object.entries(extra).map(([name, text]) => {
    const own = [...head, ...tail].find(([known]) => isField(name, known));
    return [own?.[0] ?? name, text];
  });
  const texts = joinFrame(head, 'contents', tail, Object.fromEntries(camelCased));
  return { ...texts, lead: [], base: `${instruction ?? ''}\n${declared ?? ''}`, losses };
}

/** `systemInstruction` is a content (`system-type`). A single one of this dialect keeps its exact text. */
function systemText(messages: readonly Message[], losses: LossNote[]): string | undefined {
  const own = messages.map(({ origin, raw }) => (origin.dialect === google.dialect ? textAt(raw, ['content']) : ''));
  if (messages.length === 1 && own[0]?.startsWith('{')) return own[0];
  const parts = messages.flatMap((message, index) => {
    const list = own[index] && textAt(own[index], ['parts']);
    return list ? listTexts(list) : readSystemTexts(message, `system[${index}]`, losses).map(textPart);
  });
  return parts.length > 0 ? `{"parts":[${parts.join(',')}]}` : undefined;
}

/** All functions in one tool, then the tools in Google's own words. */
function toolsText(tools: FrameParts['tools'], target: Target, losses: LossNote[]): string | undefined {
  const functions: string[] = [];
  const texts = writeTools(tools, target, losses, ({ members, parameters }) => {
    // `parametersJsonSchema` takes any JSON Schema; `parameters` takes only Google's own subset.
    const text = `{${members},"parametersJsonSchema":${parameters}}`;
    functions.push(text);
    return text;
  });
  const others = texts.filter((text) => !functions.includes(text));
  if (functions.length > 0) others.unshift(`{"functionDeclarations":[${functions.join(',')}]}`);
  return others.length > 0 ? `[${others.join(',')}]` : undefined;
}
