import {
  Changes,
  elementTexts,
  findMembers,
  isObject,
  type JsonObject,
  parseJson,
  splice,
  textAt,
} from '../../json/index.ts';
import { type LossNote, rewritten, synthesised } from '../loss.ts';
import { inlineSystem } from '../provider.ts';
import { isOwn, NO_CALLS, VIEW_ID } from '../write/drafts.ts';
import { type BodyMember, joinFrame, readSystemTexts, writeTools } from '../write/frame.ts';
import { formatPath, makeSplicer, type OwnRules } from '../write/own-message.ts';
import {
  joinTexts,
  type MessageFormat,
  makeTranslator,
  type PortableBlock,
  tellFailure,
  toArguments,
  toDataUrl,
} from '../write/translate.ts';
import type { Draft, Frame, FrameParts, RequestWriter, Target } from '../write/writer.ts';
import { callProblem, nativeCalls, quirk, saysNothing, textPart, writeParams } from './rules.ts';

const format: MessageFormat = {
  takesRefusals: true,
  message(role, said, target, losses) {
    if (role !== 'assistant') return { text: messageText(role, contentText(said), target) };
    const text = joinedSaid(said, 'text');
    const refusal = joinedSaid(said, 'refusal');
    const firstCall = said.findIndex(({ type }) => type === 'call');
    if (firstCall >= 0 && said.findLastIndex(({ type }) => type === 'text') > firstCall)
      losses.push(rewritten('', 'reordered', 'text before calls'));
    const calls = said.flatMap((one) => (one.type === 'call' ? [callText(one)] : [])).join(',');
    // Content may be `null` only beside calls (`content-null`), so a refusal alone is sent as a part.
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
    const told = isError ? tellFailure(content, said) : content;
    return { text: `{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${told}}` };
  },
  /** Images are sent by URL or as data; documents, and audio to models that take it, as data only. */
  media({ source, mediaType, name }, target) {
    const [kind, subtype] = mediaType.split('/');
    if (source.kind === 'file') return mediaPart('file', { file_id: source.id });
    const url = source.kind === 'url' ? source.url : toDataUrl(mediaType, source.data);
    if (kind === 'image') return mediaPart('image_url', { url });
    if (source.kind === 'url' || (kind === 'audio' && !quirk('audio', target))) return undefined;
    return kind === 'audio'
      ? mediaPart('input_audio', { data: source.data, format: subtype === 'mpeg' ? 'mp3' : subtype })
      : mediaPart('file', { filename: name ?? `document.${subtype}`, file_data: url });
  },
};

const { translate, result, userText } = /* @__PURE__ */ makeTranslator(format);

export const writer: RequestWriter = {
  splice(message, target, options) {
    return message.facts.role === 'system' && inlineSystem(target) === 'never'
      ? translate(message, target, NO_CALLS)
      : spliceMessage(message, target, options);
  },
  translate,
  result,
  userText,
  merge: mergeMessages,
  resultsFollow: 'message',
  frame,
};

/** Replaces the missing reasoning of a call (`deepseek-reasoning`). */
const NO_THOUGHTS = '"(not available)"';

function mediaPart(type: string, value: JsonObject): string {
  return JSON.stringify({ type, [type]: value });
}

const EMPTY = '""';

function messageText(role: 'system' | 'user', content: string, target: Target): string {
  return `{"role":"${role === 'system' ? quirk('systemRole', target) : role}","content":${content}}`;
}

/** Joins the texts of one kind. */
function joinedSaid(said: readonly PortableBlock[], type: 'text' | 'refusal'): string {
  const texts = said.flatMap((one) => ('json' in one && one.type === type ? [one] : []));
  return joinTexts(
    texts.map(({ json }) => json),
    (index) => !texts[index]!.isGlued,
  );
}

/** Plain text is a string, anything else a list of parts. */
function contentText(said: readonly PortableBlock[]): string {
  if (said.every(({ type }) => type === 'text')) return joinedSaid(said, 'text');
  return `[${said.map((one) => ('json' in one ? textPart(one.json) : 'part' in one ? one.part : '')).join(',')}]`;
}

function callText({ id, name, args }: PortableBlock & { type: 'call' }): string {
  return JSON.stringify({ id, type: 'function', function: { name, arguments: args } });
}

const rules: OwnRules = {
  markers: ['cache_control', 'content.*.cache_control'],
  refused: (target) => (quirk('sendReasoning', target) ? [] : ['reasoning_content', 'reasoning', 'reasoning_details']),
  isDoubtful: ({ facts }, target) =>
    facts.calls.some(({ id }) => id.startsWith(VIEW_ID) || quirk('thoughtCalls', target)),
  repair({ message: { raw, content, facts, origin }, target, elsewhere, changes, losses, drop }) {
    const value = parseJson(raw) as JsonObject;
    if (elsewhere) drop(['reasoning_details'], elsewhere);
    const all = nativeCalls(raw, value);
    const kept = all.filter((call, index) => {
      const { path, block, args } = call;
      const problem = callProblem(call, index === all.length - 1, origin.cut === true);
      if (problem === 'cut') {
        drop(path, problem);
        return false;
      }
      if (problem) changes.set(args!.path, JSON.stringify(toArguments(args!.text, formatPath(args!.path), losses)));
      // A call without an id needs one, so that its result can name it; `function_call` has none.
      if (block.type === 'tool-use' && block.id.startsWith(VIEW_ID) && path[0] === 'tool_calls') {
        changes.set([...path, 'id'], JSON.stringify(block.id));
        losses.push(synthesised(`${formatPath(path)}.id`, 'tool-id'));
      }
      return true;
    });
    // The last blocks are the calls.
    const blocks = content.slice(0, content.length - all.length);
    if (saysNothing(facts.role, [...blocks, ...kept.map(({ block }) => block)])) return undefined;
    // An empty list is refused (`tool-calls-empty`).
    if (Array.isArray(value.tool_calls) && !kept.some(({ path }) => path[0] === 'tool_calls')) {
      changes.set(['tool_calls']);
      if (value.tool_calls.length === 0) losses.push(rewritten('tool_calls', 'empty'));
    }
    const thoughts = String(quirk('reasoningField', target));
    // Models of this provider may also call without reasoning.
    if (kept.length > 0 && quirk('thoughtCalls', target) && typeof value[thoughts] !== 'string') {
      changes.set([thoughts], NO_THOUGHTS);
      losses.push(synthesised('', 'foreign-reasoning'));
    }
    const sent = kept.map(({ block }) => 'id' in block && block.id);
    return { calls: facts.calls.filter(({ id }) => sent.includes(id)) };
  },
};

export const spliceMessage = /* @__PURE__ */ makeSplicer(rules);

/**
 * Merges messages of one role, for chat templates that require roles to alternate. Only messages that consist of role
 * and content can be merged; their content may precede the calls of the last message. Tool results are never merged.
 */
export function mergeMessages(drafts: readonly Draft[]): Draft | undefined {
  const last = drafts.at(-1);
  const lists = drafts.map((draft) => plainParts(draft.text, draft === last && draft.calls.length > 0));
  if (!last || last.role === 'tool' || !lists.every((list) => list !== undefined)) return undefined;
  const parts = lists.flat();
  const texts = parts.map(plainText);
  const content = texts.every((text) => text !== undefined) ? joinTexts(texts) : `[${parts.join(',')}]`;
  const changes = new Changes();
  changes.set(['content'], content);
  return {
    role: last.role,
    text: splice(last.text, changes.edits(last.text)),
    calls: last.calls,
    results: [],
    losses: [],
  };
}

/** The parts of a message; undefined if it has other members, which would be lost. `isKept`: its other members are kept. */
function plainParts(text: string, isKept: boolean): string[] | undefined {
  const isPlain = findMembers(text).every(
    ({ name, start, end }) => isKept || name === 'role' || name === 'content' || text.slice(start, end) === 'null',
  );
  const content = textAt(text, ['content']) ?? 'null';
  if (!isPlain) return undefined;
  if (content.startsWith('"')) return [textPart(content)];
  if (content.startsWith('[')) return elementTexts(content);
  return isKept ? [] : undefined;
}

/** The text of a part that is only text. */
function plainText(part: string): string | undefined {
  const value = parseJson(part);
  const isPlain = isObject(value) && value.type === 'text' && Object.keys(value).length === 2;
  return isPlain ? textAt(part, ['text']) : undefined;
}

/**
 * Writes the body around the messages. System messages come first in the message list, in their own text if this issuer
 * sent them, and merged for chat templates that take only one.
 */
export function frame({ system, tools, params, extra }: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const drafts = system.flatMap((message, index): readonly Draft[] => {
    if (isOwn(message, target) && takesSystem(target)) return spliceMessage(message, target);
    const texts = readSystemTexts(message, `system[${index}]`, losses);
    if (texts.length === 0) return [];
    const role = takesSystem(target) ? 'system' : 'user';
    if (role === 'user') losses.push(rewritten(`system[${index}]`, 'inline-system'));
    return [{ role, text: messageText(role, joinTexts(texts), target), calls: [], results: [], losses: [] }];
  });
  losses.push(...drafts.flatMap((draft) => draft.losses));
  const one = target.provider.policies.alternateRoles && drafts.length > 1 ? mergeMessages(drafts) : undefined;
  if (one) losses.push(rewritten('system', 'merged', 'system'));
  const lead = (one ? [one] : drafts).map(({ text }) => text);
  const written = writeTools(tools, target, losses, ({ members, parameters }) => {
    return `{"type":"function","function":{${members},"parameters":${parameters}}}`;
  }).join(',');
  const head: BodyMember[] = [
    ['model', JSON.stringify(target.model)],
    ['tools', written ? `[${written}]` : undefined],
  ];
  const tail = writeParams(params, written !== '' || 'tools' in extra, target, losses);
  if (target.upstream !== undefined && !('provider' in extra)) {
    tail.push(['provider', JSON.stringify({ order: [target.upstream] })]);
    losses.push(synthesised('params.provider', 'upstream-bound', target.upstream));
  }
  return { ...joinFrame(head, 'messages', tail, extra), lead, base: `${lead.join(',')}\n${written}`, losses };
}

/** Whether the target takes system text in front. A few models do not (`role`), so it is sent as the user's. */
function takesSystem(target: Target): boolean {
  // A chat template takes it there alone.
  return target.provider.policies.alternateRoles || inlineSystem(target) !== 'never';
}
