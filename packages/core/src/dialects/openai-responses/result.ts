import type { CallRef, ContentBlock, MediaBlock, Message, ToolResultBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { takesMedia } from '../provider.ts';
import { rewritten } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import { targetToolId } from '../write/tool-names.ts';
import type { CallLookup, Target, Unit } from '../write/writer.ts';
import { leftOut } from './left-out.ts';
import { mediaPart } from './media-write.ts';

/** The results in a message as outputs of their calls; media that outputs do not take follows as a user's. */
export function resultUnits(message: Message, target: Target, calls: CallLookup): Unit[] {
  const outputs: Unit[] = [];
  const followers: Unit[] = [];
  message.content.forEach((block, index) => {
    if (block.type !== 'tool-result') return;
    const call = calls.find(block.toolCallId) ?? { id: block.toolCallId, name: '' };
    const [output, follower] = resultOf(block, call, message, target, `content[${index}]`);
    outputs.push(output);
    if (follower) followers.push(follower);
  });
  return [...outputs, ...followers];
}

/** An output with that text. */
export function outputUnit(call: CallRef, output: string, target: Target, losses: LossNote[], path: string): Unit {
  const id = targetToolId(call.id, target.provider.policies, path === '' ? 'call_id' : `${path}.toolCallId`, losses);
  const type = call.form === 'custom' ? 'custom_tool_call_output' : 'function_call_output';
  const text = `{"type":"${type}","call_id":${JSON.stringify(id)},"output":${output}}`;
  return { role: 'tool', text, calls: [], results: [id], losses };
}

function resultOf(
  result: ToolResultBlock,
  call: CallRef,
  message: Message,
  target: Target,
  path: string,
): [Unit, Unit | undefined] {
  const losses: LossNote[] = [];
  const texts: string[] = [];
  const parts: string[] = [];
  const moved: string[] = [];
  result.content.forEach((block, index) => {
    const at = `${path}.content[${index}]`;
    if (block.type === 'text' || block.type === 'refusal') {
      const text = stringText(block.text, at, losses);
      texts.push(text);
      parts.push(`{"type":"input_text","text":${text}}`);
    } else if (block.type === 'media') {
      const isMoved = mustMove(block, target);
      const { toolResult, user } = target.provider.policies.media;
      const part = mediaPart(block, isMoved ? user : toolResult, message, target, at, losses);
      if (part === undefined) return;
      (isMoved ? moved : parts).push(part);
      if (isMoved) losses.push(rewritten(at, 'unsupported-media', 'it follows the results in a user message'));
    } else losses.push(...leftOut(block satisfies ContentBlock, message, at));
  });
  const output = parts.length > texts.length || texts.length > 1 ? `[${parts.join(',')}]` : (texts[0] ?? '""');
  const unit = outputUnit(call, output, target, losses, path);
  if (moved.length === 0) return [unit, undefined];
  const note = `{"type":"input_text","text":${JSON.stringify(`From the result of tool call ${unit.results[0]}:`)}}`;
  const text = `{"role":"user","content":[${[note, ...moved].join(',')}]}`;
  return [unit, { role: 'user', text, calls: [], results: [], losses: [] }];
}

function mustMove({ mediaType }: MediaBlock, { provider }: Target): boolean {
  const { toolResult, user } = provider.policies.media;
  return !takesMedia(toolResult, mediaType) && takesMedia(user, mediaType);
}
