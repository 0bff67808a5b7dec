import type { Message, ToolResultBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { takesMedia } from '../provider.ts';
import { rewritten } from '../write/notes.ts';
import { targetToolId } from '../write/tool-names.ts';
import type { CallLookup, Target, Unit } from '../write/writer.ts';
import { mediaPart } from './write-media.ts';
import { contentText, type Draft, wordsOf } from './write-text.ts';

const FOLLOWS = 'The result is attached to the message that follows.';

/** A tool result as a `tool` message, and what has to follow in a user message because none is taken in this one. */
export interface ResultDraft {
  readonly unit: Unit;
  readonly attached: readonly Draft[];
  /** Notes about what is attached. */
  readonly losses: readonly LossNote[];
}

export function translateResult(
  result: ToolResultBlock,
  path: string,
  message: Message,
  target: Target,
  calls: CallLookup,
): ResultDraft {
  const losses: LossNote[] = [];
  const moved: LossNote[] = [];
  const call = calls.find(result.toolCallId);
  const id = targetToolId(call?.id ?? result.toolCallId, target.provider.policies, path, losses);
  const told: Draft[] = [];
  const attached: Draft[] = [];
  result.content.forEach((block, index) => {
    const place = `${path}.content[${index}]`;
    if (block.type !== 'media') {
      const text = wordsOf(block, place, result.content.length === 1, losses);
      if (text !== undefined) told.push({ text });
      return;
    }
    const inside = takesMedia(target.provider.policies.media.toolResult, block.mediaType);
    const part = mediaPart(block, message, target, place, inside ? losses : moved);
    if (part === undefined) return;
    if (inside) told.push({ part });
    else {
      attached.push({ part });
      moved.push(
        rewritten(place, 'unsupported-media', 'tool results take no such media; a user message with it follows'),
      );
    }
  });
  if (told.length === 0 && attached.length > 0) told.push({ text: FOLLOWS });
  const content = contentText(result.isError ? asError(told) : told, path, losses);
  const unit = toolUnit(id, content, losses);
  const about = `Attached: what the tool call ${id}${call ? ` of ${call.name}` : ''} returned.`;
  return { unit, attached: attached.length > 0 ? [{ text: about }, ...attached] : [], losses: moved };
}

export function toolUnit(id: string, content: string, losses: readonly LossNote[]): Unit {
  const text = `{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${content}}`;
  return { role: 'tool', text, calls: [], results: [id], losses };
}

/** The protocol has no error flag: a failure that does not read like one gets a word in front. */
function asError(told: readonly Draft[]): readonly Draft[] {
  const [first] = told;
  if (told.some((draft) => 'text' in draft && /error|fail|exception/i.test(draft.text))) return told;
  if (!first || !('text' in first)) return [{ text: 'Error' }, ...told];
  return [{ text: `Error: ${first.text}` }, ...told.slice(1)];
}
