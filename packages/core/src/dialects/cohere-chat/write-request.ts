import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import { type LossNote, rewritten } from '../loss.ts';
import { isOwn } from '../write/drafts.ts';
import { type BodyMember, joinFrame, readSystemTexts, writeTools } from '../write/frame.ts';
import { formatPath, makeSplicer } from '../write/own-message.ts';
import {
  joinTexts,
  type MessageFormat,
  makeTranslator,
  type PortableBlock,
  type PortableContent,
  tellFailure,
  toArguments,
  toDataUrl,
} from '../write/translate.ts';
import type { Frame, FrameParts, RequestWriter, Target } from '../write/writer.ts';
import {
  argumentsOf,
  callsIn,
  endsInThought,
  hasBadArguments,
  hasOpenCall,
  isEmptyText,
  saysNothing,
  writeParams,
} from './rules.ts';

const format: MessageFormat = {
  message(role, said, _target, losses) {
    const calls = said.flatMap((one) => (one.type === 'call' ? [callText(one)] : []));
    const others = said.filter((one) => one.type !== 'call');
    const firstCall = said.findIndex(({ type }) => type === 'call');
    if (firstCall >= 0 && said.findLastIndex(({ type }) => type !== 'call') > firstCall)
      losses.push(rewritten('', 'reordered', 'text before calls'));
    const content = others.length > 0 ? `,"content":${contentText(others)}` : '';
    const called = calls.length > 0 ? `,"tool_calls":[${calls.join(',')}]` : '';
    return { text: `{"role":"${role}"${content}${called}}` };
  },
  result({ id, isError, said }) {
    const content = contentText(said);
    const told = isError ? tellFailure(content, said) : content;
    return { text: `{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${told}}` };
  },
  media({ source, mediaType }) {
    if (source.kind === 'file') return undefined;
    const url = source.kind === 'url' ? source.url : toDataUrl(mediaType, source.data);
    return `{"type":"image_url","image_url":{"url":${JSON.stringify(url)}}}`;
  },
};

const { translate, result, userText } = /* @__PURE__ */ makeTranslator(format);

export const writer: RequestWriter = {
  splice: /* @__PURE__ */ makeSplicer({
    repair({ message, changes, losses, drop }) {
      const value = parseJson(message.raw) as JsonObject;
      if (saysNothing(value)) return undefined;
      const parts: readonly unknown[] = Array.isArray(value.content) ? value.content : [];
      const isThought = message.origin.cut === true && endsInThought(value);
      const kept = isThought ? parts.slice(0, -1) : parts;
      if (isThought && saysNothing({ ...value, content: kept })) return undefined;
      if (isThought) drop(['content', kept.length], 'cut');
      kept.forEach((part, index) => {
        if (isEmptyText(part)) drop(['content', index], 'empty');
      });
      const calls = callsIn(value);
      const isOpen = message.origin.cut === true && hasOpenCall(value);
      calls.forEach((call, index) => {
        if (isOpen && index === calls.length - 1) {
          drop(calls.length === 1 ? ['tool_calls'] : ['tool_calls', index], 'cut');
          return;
        }
        if (!hasBadArguments(call)) return;
        const at = ['tool_calls', index, 'function', 'arguments'];
        changes.set(at, JSON.stringify(toArguments(argumentsOf(call), formatPath(at), losses)));
      });
      if (!isOpen) return {};
      const isLeft = calls.length > 1 || !saysNothing({ ...value, tool_calls: [] });
      return isLeft ? { calls: message.facts.calls.slice(0, -1) } : undefined;
    },
  }),
  translate,
  result,
  userText,
  merge: () => undefined,
  resultsFollow: 'message',
  frame,
};

function callText({ id, name, args }: PortableBlock & { readonly type: 'call' }): string {
  const called = `{"name":${JSON.stringify(name)},"arguments":${JSON.stringify(args)}}`;
  return `{"id":${JSON.stringify(id)},"type":"function","function":${called}}`;
}

/** Plain text is a string, anything else a list of parts. */
function contentText(said: readonly PortableContent[]): string {
  const texts = said.flatMap((one) => ('json' in one ? [one] : []));
  if (texts.length === said.length)
    return joinTexts(
      texts.map(({ json }) => json),
      (index) => !texts[index]!.isGlued,
    );
  const parts = said.map((one) => (one.type === 'media' ? one.part : `{"type":"text","text":${one.json}}`));
  return `[${parts.join(',')}]`;
}

/** Writes the body around the messages. System texts are messages at the front. */
function frame(parts: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const lead = parts.system.flatMap((message, index) => systemText(message, `system[${index}]`, target, losses) ?? []);
  const tools = writeTools(parts.tools, target, losses, ({ members, parameters }) => {
    return `{"type":"function","function":{${members},"parameters":${schemaText(parameters)}}}`;
  });
  const listed = tools.length > 0 ? `[${tools.join(',')}]` : undefined;
  const head: BodyMember[] = [
    ['model', JSON.stringify(target.model)],
    ['tools', listed],
  ];
  const hasTools = listed !== undefined || 'tools' in parts.extra;
  return {
    ...joinFrame(head, 'messages', writeParams(parts.params, target, hasTools, losses), parts.extra),
    lead,
    base: listed ?? '',
    losses,
  };
}

function systemText(message: Message, path: string, target: Target, losses: LossNote[]): string | undefined {
  if (isOwn(message, target) && message.facts.needs.length === 0) return message.raw;
  const texts = readSystemTexts(message, path, losses);
  return texts.length > 0 ? `{"role":"system","content":${joinTexts(texts)}}` : undefined;
}

/** The schema as it was given, with `"type":"object"` if it has no type. */
function schemaText(text: string): string {
  const value = parseJson(text);
  if (!isObject(value) || value.type !== undefined) return text;
  const inner = text.slice(1, -1).trim();
  return `{"type":"object"${inner && `,${inner}`}}`;
}
