import { isObject } from '../../json/index.ts';
import { type CallRef, type Message, type ToolResultBlock, textOf } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { takesMedia } from '../provider.ts';
import { dropped, rewritten } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import { targetToolId } from '../write/tool-names.ts';
import type { CallLookup, Target, Unit } from '../write/writer.ts';
import { readContent } from './content.ts';
import { objectField, stringField } from './fields.ts';
import { google } from './provider.ts';
import { functionName, idMember, mediaPart } from './write-parts.ts';
import { contentUnit } from './write-units.ts';

/** The name of a call that nobody knows; a name must not be empty (`name-empty`). */
const UNKNOWN_TOOL = 'unknown_tool';

/**
 * A tool result as a unit: a response `{"output":…}`, or `{"error":…}` when the call failed, and its media beside it
 * in the same content. In a message of this protocol the response stays as it is.
 */
export function resultUnit(
  block: ToolResultBlock,
  native: string | undefined,
  path: string,
  target: Target,
  calls: CallLookup,
): Unit {
  const losses: LossNote[] = [];
  const { policies, issuer } = target.provider;
  const call = calls.find(block.toolCallId);
  const id = targetToolId(call?.id ?? block.toolCallId, policies, `${path}.toolCallId`, losses);
  if (native !== undefined) return contentUnit('tool', [native], losses, { results: [id] });
  const name = functionName(call?.name || UNKNOWN_TOOL, policies, path, losses);
  const inside: string[] = [];
  const beside: string[] = [];
  let text = textOf(block.content);
  block.content.forEach((inner, index) => {
    const at = `${path}.content[${index}]`;
    if (inner.type === 'text') return;
    if (inner.type === 'refusal') text += inner.text;
    else if (inner.type !== 'media')
      losses.push(dropped(at, 'unknown-block', `a ${inner.type} block in a result is left out`));
    else if (takesMedia(policies.media.toolResult, inner.mediaType))
      inside.push(...part(mediaPart(inner, policies.media.toolResult, issuer, at, losses)));
    else beside.push(...part(mediaPart(inner, policies.media.user, issuer, at, losses)));
  });
  if (beside.length > 0)
    losses.push(rewritten(path, 'unsupported-media', 'the media of a result stands beside it, not in it'));
  const said = `{${block.isError ? '"error"' : '"output"'}:${stringText(text, path, losses)}}`;
  return contentUnit('tool', [responsePart(id, name, said, inside), ...beside], losses, { results: [id] });
}

/** A result for a call that has none. */
export function madeResult(call: CallRef, text: string, target: Target): Unit {
  const losses: LossNote[] = [];
  const { policies } = target.provider;
  const id = targetToolId(call.id, policies, '', losses);
  const name = functionName(call.name || UNKNOWN_TOOL, policies, '', losses);
  const said = `{"output":${stringText(text, '', losses)}}`;
  return contentUnit('tool', [responsePart(id, name, said, [])], losses, { results: [id] });
}

/** The parts of the responses in a message of this protocol, in order; those that fit their calls as they are. */
export function nativeResponses(message: Message, calls: CallLookup): readonly (string | undefined)[] {
  if (message.origin.dialect !== google.dialect) return [];
  return readContent(message.raw).parts.flatMap((part) => {
    const response = isObject(part.value) ? objectField(part.value, 'functionResponse') : undefined;
    if (!response) return [];
    const id = stringField(response, 'id');
    const fits = stringField(response, 'name') && (!id || (calls.find(id)?.id ?? id) === id);
    return [fits ? message.raw.slice(part.start, part.end) : undefined];
  });
}

function responsePart(id: string, name: string, response: string, parts: readonly string[]): string {
  const media = parts.length > 0 ? `,"parts":[${parts.join(',')}]` : '';
  return `{"functionResponse":{${idMember(id)}"name":${JSON.stringify(name)},"response":${response}${media}}}`;
}

function part(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [text];
}
