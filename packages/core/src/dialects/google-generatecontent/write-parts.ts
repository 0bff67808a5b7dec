import { isObject, parseJson } from '../../json/index.ts';
import type { ContentBlock, MediaBlock, ToolUseBlock, UnknownBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { type Policies, takesMedia } from '../provider.ts';
import { argumentsText } from '../write/arguments.ts';
import { dropped, rewritten } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import { targetToolId, targetToolName, VIEW_ID } from '../write/tool-names.ts';
import type { Target } from '../write/writer.ts';
import { isFileOf } from './media.ts';

/** A block that is neither a call nor a result as a part; undefined, with a note, when it is not sent. */
export function plainPart(block: ContentBlock, path: string, target: Target, losses: LossNote[]): string | undefined {
  switch (block.type) {
    case 'text':
      if (block.citations?.length) losses.push(dropped(path, 'citations', 'citations have no place in a request'));
      if (block.text === '') losses.push(dropped(path, 'empty', 'an empty text was left out'));
      return block.text === '' ? undefined : textPart(block.text, path, losses);
    case 'refusal':
      losses.push(rewritten(path, 'unknown-block', 'a refusal is sent as text'));
      return textPart(block.text, path, losses);
    case 'reasoning':
      losses.push(dropped(path, 'foreign-reasoning', 'reasoning of another provider is never sent'));
      return undefined;
    case 'media':
      return mediaPart(block, target.provider.policies.media.user, target.provider.issuer, path, losses);
    case 'unknown':
      losses.push(unknownNote(block, path));
      return undefined;
    default:
      losses.push(dropped(path, 'unknown-block', `a ${block.type} block has no place in this message`));
      return undefined;
  }
}

export function textPart(text: string, path: string, losses: LossNote[]): string {
  return `{"text":${stringText(text, path, losses)}}`;
}

/** A call: as a part, with the id and name it has there. Ids that only the view made up are left out. */
export function callPart(
  block: ToolUseBlock,
  signature: string | undefined,
  path: string,
  target: Target,
  losses: LossNote[],
) {
  const { policies } = target.provider;
  const id = targetToolId(block.id, policies, `${path}.id`, losses);
  const name = functionName(block.name, policies, `${path}.name`, losses);
  const args = argumentsText(block.rawParameters, `${path}.parameters`, losses);
  const signed = signature === undefined ? '' : `,"thoughtSignature":${signature}`;
  const text = `{"functionCall":{${idMember(id)}"name":${JSON.stringify(name)},"args":${args}}${signed}}`;
  return { text, call: { id, name } };
}

export function idMember(id: string): string {
  return id.startsWith(VIEW_ID) ? '' : `"id":${JSON.stringify(id)},`;
}

/** Names begin with a letter or an underscore. */
export function functionName(name: string, policies: Policies, path: string, losses: LossNote[]): string {
  if (/^[a-zA-Z_]/.test(name)) return targetToolName(name, policies, path, losses);
  const made = targetToolName(`_${name}`, policies, path, []);
  losses.push(rewritten(path, 'tool-name', `the tool name ${JSON.stringify(name)} is sent as ${made}`));
  return made;
}

/** Media as `inlineData` or `fileData`; undefined, with a note, when the target does not take it. */
export function mediaPart(
  block: MediaBlock,
  accepted: readonly string[],
  issuer: string,
  path: string,
  losses: LossNote[],
): string | undefined {
  const { source } = block;
  const inline = source.kind === 'url' ? /^data:([^;,]+);base64,(.*)$/s.exec(source.url) : undefined;
  const type = inline?.[1] ?? block.mediaType;
  const data = inline?.[2] ?? (source.kind === 'base64' ? source.data : undefined);
  if (source.kind === 'file' && !isFileOf(source.id, issuer)) {
    losses.push(dropped(path, 'foreign-file', 'a file of another provider cannot be read here'));
    return undefined;
  }
  // Inline data needs an exact type.
  if (!takesMedia(accepted, type) || (data !== undefined && type.endsWith('/*'))) {
    losses.push(dropped(path, 'unsupported-media', `media of type ${type} is not taken here`));
    return undefined;
  }
  if (data !== undefined) return `{"inlineData":{"mimeType":${JSON.stringify(type)},"data":${JSON.stringify(data)}}}`;
  const uri = source.kind === 'file' ? source.id : source.kind === 'url' ? source.url : '';
  const mime = type.endsWith('/*') ? '' : `"mimeType":${JSON.stringify(type)},`;
  return `{"fileData":{${mime}"fileUri":${stringText(uri, path, losses)}}}`;
}

/** What a provider ran on its own side means nothing to another. */
function unknownNote({ native }: UnknownBlock, path: string): LossNote {
  const value = parseJson(native);
  const kind = isObject(value) ? (typeof value.type === 'string' ? value.type : Object.keys(value).join(' ')) : '';
  return /tool|search|call|execut|mcp|fetch|computer/i.test(kind)
    ? dropped(path, 'server-tool', `${kind} belongs to the provider that ran it`)
    : dropped(path, 'unknown-block', 'a block of an unknown kind cannot be translated');
}
