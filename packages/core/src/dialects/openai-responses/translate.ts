import type { CallRef, ContentBlock, Message, ToolUseBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import { argumentsText } from '../write/arguments.ts';
import { dropped, rewritten } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import { targetToolId, targetToolName } from '../write/tool-names.ts';
import type { CallLookup, Target, Unit } from '../write/writer.ts';
import { leftOut } from './left-out.ts';
import { mediaPart } from './media-write.ts';
import { resultUnits } from './result.ts';

/** A message of another origin, written from its blocks. Results come first: each answers its call right behind it. */
export function translate(message: Message, target: Target, calls: CallLookup): readonly Unit[] {
  if (message.role === 'assistant') return [...assistantUnit(message, target), ...resultUnits(message, target, calls)];
  return [...resultUnits(message, target, calls), ...clientUnit(message, target)];
}

/** Text and calls as items of their own, in their order. */
function assistantUnit(message: Message, target: Target): Unit[] {
  const { policies } = target.provider;
  const losses: LossNote[] = [];
  const items: string[] = [];
  const calls: CallRef[] = [];
  let parts: string[] = [];
  const endMessage = (): void => {
    if (parts.length > 0) items.push(assistantItem(parts));
    parts = [];
  };
  message.content.forEach((block, index) => {
    const path = `content[${index}]`;
    if (block.type === 'tool-use') {
      endMessage();
      const id = targetToolId(block.id, policies, `${path}.id`, losses);
      const name = targetToolName(block.name, policies, `${path}.name`, losses);
      calls.push(block.form ? { id, name, form: block.form } : { id, name });
      items.push(callItem(block, id, name, `${path}.parameters`, losses));
    } else if (block.type === 'refusal')
      parts.push(`{"type":"refusal","refusal":${stringText(block.text, path, losses)}}`);
    else if (block.type === 'text' && block.text !== '')
      parts.push(`{"type":"output_text","text":${textOf(block, path, losses)}}`);
    else losses.push(...leftOut(block, message, path));
  });
  endMessage();
  if (items.length === 0) return [];
  return [{ role: 'assistant', text: items.join(','), calls, results: [], losses }];
}

/** A custom call stays one, so that its result, which has a form of its own, still fits. */
function callItem(block: ToolUseBlock, id: string, name: string, path: string, losses: LossNote[]): string {
  const named = `"call_id":${JSON.stringify(id)},"name":${JSON.stringify(name)}`;
  if (block.form === 'custom')
    return `{"type":"custom_tool_call",${named},"input":${stringText(String(block.parameters.input ?? ''), path, losses)}}`;
  const parameters = argumentsText(block.rawParameters, path, losses);
  return `{"type":"function_call",${named},"arguments":${stringText(parameters, path, losses)}}`;
}

/**
 * One text goes as a plain string: without `id` and `annotations` that is the form seen to be accepted in recorded
 * traffic (`content-type`). Only what a string cannot say goes as parts.
 */
function assistantItem(parts: readonly string[]): string {
  const [only] = parts;
  const prefix = '{"type":"output_text","text":';
  const content =
    parts.length === 1 && only!.startsWith(prefix) ? only!.slice(prefix.length, -1) : `[${parts.join(',')}]`;
  return `{"role":"assistant","content":${content}}`;
}

function clientUnit(message: Message, target: Target): Unit[] {
  const losses: LossNote[] = [];
  const parts = message.content.flatMap((block, index) =>
    clientPart(block, message, target, `content[${index}]`, losses),
  );
  if (parts.length === 0) return [];
  const role = message.role === 'system' ? systemRole(target, losses) : 'user';
  return [{ role, text: clientItem(role, parts), calls: [], results: [], losses }];
}

export function clientItem(role: 'user' | 'system', parts: readonly string[]): string {
  return `{"role":"${role}","content":[${parts.join(',')}]}`;
}

export function inputText(text: string, path: string, losses: LossNote[]): string {
  return `{"type":"input_text","text":${stringText(text, path, losses)}}`;
}

function systemRole(target: Target, losses: LossNote[]): 'user' | 'system' {
  if (forModel(target.provider.policies.inlineSystem, target.model) !== 'never') return 'system';
  losses.push(rewritten('', 'inline-system', 'a system message is not taken here; it is sent as user text'));
  return 'user';
}

function clientPart(block: ContentBlock, message: Message, target: Target, path: string, losses: LossNote[]): string[] {
  if (block.type === 'tool-result') return [];
  if (block.type === 'text' && block.text !== '')
    return [`{"type":"input_text","text":${textOf(block, path, losses)}}`];
  if (block.type === 'refusal') {
    losses.push(rewritten(path, 'unknown-block', 'only the assistant refuses; the refusal is sent as text'));
    return [inputText(block.text, path, losses)];
  }
  if (block.type === 'media') {
    const part = mediaPart(block, target.provider.policies.media.user, message, target, path, losses);
    return part === undefined ? [] : [part];
  }
  losses.push(...leftOut(block, message, path));
  return [];
}

function textOf(block: ContentBlock & { type: 'text' }, path: string, losses: LossNote[]): string {
  if (block.citations && block.citations.length > 0)
    losses.push(
      dropped(`${path}.citations`, 'citations', 'sources are left out: they are in words of another provider'),
    );
  return stringText(block.text, path, losses);
}
