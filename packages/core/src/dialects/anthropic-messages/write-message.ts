import type { ContentBlock, Message, TextBlock, ToolResultBlock, ToolUseBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { argumentsText } from '../write/arguments.ts';
import { dropped, rewritten, synthesised } from '../write/notes.ts';
import { targetToolId, targetToolName } from '../write/tool-names.ts';
import { isOwn } from '../write/units.ts';
import type { CallLookup, Target, Unit } from '../write/writer.ts';
import { leftOut } from './left-out.ts';
import { isTaken, mediaPart } from './write-media.ts';
import { explodeOwn } from './write-own.ts';
import { systemUnits } from './write-system.ts';
import { isBlank, messageText, resultUnit, textPart, userUnit } from './write-units.ts';

/** A message of any other origin, written from its blocks; its own messages are only taken apart. */
export function translate(message: Message, target: Target, calls: CallLookup): readonly Unit[] {
  if (message.role === 'system') return systemUnits(message, target);
  if (message.role === 'assistant') return assistantUnits(message, target);
  if (isOwn(message, target)) return explodeOwn(message, target);
  return new UserTranslation(message, target, calls).units();
}

function assistantUnits(message: Message, target: Target): readonly Unit[] {
  const losses: LossNote[] = [];
  const calls: { id: string; name: string }[] = [];
  const parts: string[] = [];
  message.content.forEach((block, index) => {
    const path = `content[${index}]`;
    if (block.type === 'tool-use') {
      const { call, part } = toolUse(block, target, path, losses);
      calls.push(call);
      parts.push(part);
    } else parts.push(...saidParts(block, message, path, losses, (text) => text.trim() !== ''));
  });
  return parts.length === 0
    ? []
    : [{ role: 'assistant', text: messageText('assistant', parts), calls, results: [], losses }];
}

function toolUse(block: ToolUseBlock, target: Target, path: string, losses: LossNote[]) {
  const { policies } = target.provider;
  const id = targetToolId(block.id, policies, path, losses);
  const name = targetToolName(block.name, policies, path, losses);
  const input = argumentsText(block.rawParameters, `${path}.input`, losses);
  const part = `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${input}}`;
  return { call: { id, name }, part };
}

/** Text and refusals as text; everything else is left out with a note. */
function saidParts(
  block: ContentBlock,
  message: Message,
  path: string,
  losses: LossNote[],
  isSaid: (text: string) => boolean,
): string[] {
  if (block.type !== 'text' && block.type !== 'refusal') {
    losses.push(leftOut(block, path));
    return [];
  }
  if (!isSaid(block.text)) {
    // The only block of a message that says nothing is how nothing is written.
    if (block.text !== '' || message.content.length > 1) losses.push(dropped(path, 'empty', 'the text is empty'));
    return [];
  }
  if (block.type === 'refusal') losses.push(rewritten(path, 'unknown-block', 'a refusal is sent as text'));
  else noteCitations(block, path, losses);
  return [textPart(block.text, path, losses)];
}

function noteCitations(block: TextBlock, path: string, losses: LossNote[]): void {
  if (block.citations && block.citations.length > 0)
    losses.push(dropped(path, 'citations', 'citations mean nothing to another provider'));
}

/** Tool results first, each a unit of its own; then everything else as one user message. */
class UserTranslation {
  readonly #message: Message;
  readonly #target: Target;
  readonly #calls: CallLookup;
  /** Media that the target does not take inside a tool result. */
  readonly #moved: string[] = [];

  constructor(message: Message, target: Target, calls: CallLookup) {
    this.#message = message;
    this.#target = target;
    this.#calls = calls;
  }

  units(): readonly Unit[] {
    const { content } = this.#message;
    const results = content.flatMap((block, index) =>
      block.type === 'tool-result' ? [this.#result(block, `content[${index}]`)] : [],
    );
    const losses: LossNote[] = [];
    const { user } = this.#target.provider.policies.media;
    const parts = content.flatMap((block, index) =>
      block.type === 'tool-result' ? [] : this.#parts(block, user, `content[${index}]`, losses),
    );
    const said = this.#moved.length === 0 && parts.every(isBlank) ? [] : [...this.#moved, ...parts];
    if (said.length > 0) return [...results, userUnit(said, losses)];
    if (parts.length > 0) losses.push(dropped('content', 'empty', 'the text is nothing but white space'));
    const [first, ...more] = results;
    return first ? [{ ...first, losses: [...first.losses, ...losses] }, ...more] : [];
  }

  #parts(block: ContentBlock, accepted: readonly string[], path: string, losses: LossNote[]): string[] {
    if (block.type !== 'media') return saidParts(block, this.#message, path, losses, (text) => text !== '');
    if (isTaken(accepted, block.mediaType)) {
      const part = mediaPart(block, this.#message, this.#target, path, losses);
      return part === undefined ? [] : [part];
    }
    losses.push(leftOut(block, path));
    return [];
  }

  #result(block: ToolResultBlock, path: string): Unit {
    const losses: LossNote[] = [];
    const { policies } = this.#target.provider;
    const id = targetToolId(this.#calls.find(block.toolCallId)?.id ?? block.toolCallId, policies, path, losses);
    const parts = block.content.flatMap((inner, index) => {
      const at = `${path}.content[${index}]`;
      if (inner.type === 'text' && inner.text === '' && block.content.length === 1) return [];
      if (!this.#isMoved(inner)) return this.#parts(inner, policies.media.toolResult, at, losses);
      this.#move(this.#parts(inner, policies.media.user, at, losses), id, at, losses);
      return [];
    });
    if (block.isError && parts.length === 0) {
      // The API wants to know what went wrong when something did.
      parts.push(textPart('The tool call failed.', path, losses));
      losses.push(synthesised(path, 'empty', 'a failed result without content is sent with a text that says so'));
    }
    const content = parts.length > 0 ? `,"content":[${parts.join(',')}]` : '';
    const failed = block.isError ? ',"is_error":true' : '';
    return resultUnit(`{"type":"tool_result","tool_use_id":${JSON.stringify(id)}${content}${failed}}`, id, losses);
  }

  #isMoved(block: ContentBlock): boolean {
    const { user, toolResult } = this.#target.provider.policies.media;
    return block.type === 'media' && !isTaken(toolResult, block.mediaType) && isTaken(user, block.mediaType);
  }

  #move(parts: readonly string[], id: string, path: string, losses: LossNote[]): void {
    if (parts.length === 0) return;
    this.#moved.push(textPart(`From the result of tool call ${id}:`, path, losses), ...parts);
    losses.push(rewritten(path, 'unsupported-media', 'media of a tool result is sent in a user message behind it'));
  }
}
