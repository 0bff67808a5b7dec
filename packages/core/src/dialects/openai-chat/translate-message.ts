import type { CallRef, ContentBlock, Message, ToolUseBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import { argumentsText } from '../write/arguments.ts';
import { dropped, rewritten } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import { targetToolId, targetToolName } from '../write/tool-names.ts';
import type { CallLookup, Target, Unit } from '../write/writer.ts';
import { quirk } from './quirks.ts';
import { translateResult } from './translate-results.ts';
import { mediaPart } from './write-media.ts';
import { contentText, type Draft, leftOut, wordsOf } from './write-text.ts';

/** A message from elsewhere, written from its blocks: always the same bytes for the same message. */
export function translateMessage(message: Message, target: Target, calls: CallLookup): readonly Unit[] {
  if (message.role === 'assistant') return assistantUnits(message, target);
  if (message.role !== 'system') return userUnits(message, target, calls);
  if (forModel(target.provider.policies.inlineSystem, target.model) !== 'never') return systemUnits(message, target);
  const note = rewritten(
    '',
    'inline-system',
    'system text is not taken inside the conversation; it is sent as user text',
  );
  return userUnits(message, target, calls).map((unit) => ({ ...unit, losses: [...unit.losses, note] }));
}

export function systemUnits(message: Message, target: Target): readonly Unit[] {
  const losses: LossNote[] = [];
  const drafts = message.content.flatMap((block, index): Draft[] => {
    const text = wordsOf(block, `content[${index}]`, message.content.length === 1, losses);
    return text === undefined ? [] : [{ text }];
  });
  if (drafts.length === 0) return [];
  const role = JSON.stringify(quirk('systemRole', target));
  const text = `{"role":${role},"content":${contentText(drafts, 'content', losses)}}`;
  return [{ role: 'system', text, calls: [], results: [], losses }];
}

/** Results first, one message each, then everything else in one user message. */
function userUnits(message: Message, target: Target, calls: CallLookup): readonly Unit[] {
  const losses: LossNote[] = [];
  const units: Unit[] = [];
  const attached: Draft[] = [];
  const said: Draft[] = [];
  message.content.forEach((block, index) => {
    const path = `content[${index}]`;
    if (block.type === 'tool-result') {
      const result = translateResult(block, path, message, target, calls);
      units.push(result.unit);
      attached.push(...result.attached);
      losses.push(...result.losses);
    } else said.push(...userDraft(block, path, message, target, losses));
  });
  const drafts = [...attached, ...said];
  if (drafts.length > 0) {
    const text = `{"role":"user","content":${contentText(drafts, 'content', losses)}}`;
    return [...units, { role: 'user', text, calls: [], results: [], losses }];
  }
  const last = units.pop();
  return last ? [...units, { ...last, losses: [...last.losses, ...losses] }] : [];
}

function userDraft(block: ContentBlock, path: string, message: Message, target: Target, losses: LossNote[]): Draft[] {
  if (block.type === 'media') {
    const part = mediaPart(block, message, target, path, losses);
    return part === undefined ? [] : [{ part }];
  }
  const text = wordsOf(block, path, message.content.length === 1, losses);
  return text === undefined ? [] : [{ text }];
}

function assistantUnits(message: Message, target: Target): readonly Unit[] {
  const losses: LossNote[] = [];
  const calls: (CallRef & { readonly text: string })[] = [];
  let text = '';
  let refusal = '';
  message.content.forEach((block, index) => {
    const path = `content[${index}]`;
    if (block.type === 'tool-use') {
      if (isCut(block, message)) losses.push(dropped(path, 'cut', 'the stream ended before the call was complete'));
      else calls.push(writtenCall(block, path, target, losses));
    } else if (block.type === 'refusal') refusal += block.text;
    else if (block.type === 'text') text += wordsOf(block, path, message.content.length === 1, losses) ?? '';
    else losses.push(leftOut(block, path));
  });
  if (text === '' && refusal === '' && calls.length === 0) return [];
  const members = [
    '"role":"assistant"',
    ...saidMembers(text, refusal, calls.length > 0, losses),
    ...(calls.length === 0 ? [] : [`"tool_calls":[${calls.map((call) => call.text).join(',')}]`]),
  ];
  const refs = calls.map(({ id, name }) => ({ id, name }));
  return [{ role: 'assistant', text: `{${members.join(',')}}`, calls: refs, results: [], losses }];
}

/** `null` is content only beside calls (`content-null`): a bare refusal is sent as a part. */
function saidMembers(text: string, refusal: string, calling: boolean, losses: LossNote[]): string[] {
  const refused = refusal === '' ? '' : stringText(refusal, 'content', losses);
  if (text === '' && !calling) return [`"content":[{"type":"refusal","refusal":${refused}}]`];
  const content = `"content":${text === '' ? 'null' : stringText(text, 'content', losses)}`;
  return refusal === '' ? [content] : [content, `"refusal":${refused}`];
}

/** Nobody knows what a call that was cut would have asked for. */
function isCut({ rawParameters }: ToolUseBlock, message: Message): boolean {
  return message.facts.needs.includes('cut') && !isWhole(rawParameters);
}

function isWhole(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

function writtenCall(
  block: ToolUseBlock,
  path: string,
  target: Target,
  losses: LossNote[],
): CallRef & { text: string } {
  const { policies } = target.provider;
  const id = targetToolId(block.id, policies, path, losses);
  const name = targetToolName(block.name, policies, path, losses);
  const args = stringText(argumentsText(block.rawParameters, path, losses), path, losses);
  const called = `{"name":${JSON.stringify(name)},"arguments":${args}}`;
  return { id, name, text: `{"id":${JSON.stringify(id)},"type":"function","function":${called}}` };
}
