import { type JsonObject, textAt } from '../../json/index.ts';
import type { Citation, ContentBlock, MediaBlock, ToolUseBlock } from '../../message/index.ts';
import { fitMessage, type ReplyAbilities } from '../fit-reply.ts';
import type { LossNote } from '../loss.ts';
import type { Stop, Usage } from '../reply.ts';
import { makeId, noteAlternatives } from '../reply-writer.ts';
import type { ServedTool } from '../request-meaning.ts';
import type { ReplyHead, ReplySource, WrittenReply } from '../serve.ts';
import { areArguments } from '../write/translate.ts';
import { nativeCall } from './client-tools.ts';
import { readItems } from './items.ts';
import { DIALECT, openai } from './provider.ts';
import { turnText } from './read-response.ts';
import { toUsage } from './served-answers.ts';

export const ABILITIES: ReplyAbilities = {
  citations: ({ url }) => url !== undefined,
  refusals: true,
  customCalls: true,
  sealedReasoning: true,
  media: ({ mediaType, source }) => mediaType.startsWith('image/') && source.kind === 'base64',
  policies: openai.policies,
};

/** The whole response: its output items are the message. */
export function writeReply(reply: ReplySource): WrittenReply {
  const losses: LossNote[] = [];
  const { message, stop, usage } = reply;
  const isOwn = message.origin.dialect === DIALECT;
  const output = isOwn
    ? turnText(readItems(message.raw).items.map(({ text }) => text))
    : `[${itemTexts(reply, losses).join(',')}]`;
  noteAlternatives(reply, losses);
  return { body: responseText(reply, statusOf(stop, isOwn), output, usageText(usage, isOwn)), losses };
}

interface Status {
  readonly status: string;
  readonly incomplete?: string;
  readonly error?: JsonObject;
}

/** What the end of a reply is called. Calls and refusals are told by the output. */
export function statusOf({ reason, native }: Stop, isOwn: boolean): Status {
  if (reason === 'length' || reason === 'cut') return { status: 'incomplete', incomplete: 'max_output_tokens' };
  if (reason === 'filter') return { status: 'incomplete', incomplete: 'content_filter' };
  if (reason === 'error')
    return { status: 'failed', error: { code: 'server_error', message: 'The model could not finish its reply.' } };
  if (reason === 'unknown' && isOwn && native !== undefined) return { status: 'incomplete', incomplete: native };
  return { status: 'completed' };
}

/** The settings that every response repeats from its request, with the values that hold where the request has none. */
const SETTINGS: Readonly<Record<string, unknown>> = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

export function responseText(
  head: ReplyHead,
  { status, incomplete, error }: Status,
  output: string,
  usage: string,
): string {
  const { id, model, created, request = {} } = head;
  const settings = Object.entries(SETTINGS).map(([name, value]) => [name, request[name] ?? value]);
  const known = {
    ...{ id, object: 'response', created_at: created, status, error: error ?? null },
    ...{ incomplete_details: incomplete === undefined ? null : { reason: incomplete }, model },
    ...Object.fromEntries(settings),
  };
  return `${JSON.stringify(known).slice(0, -1)},"output":${output},"usage":${usage}}`;
}

/** Cached tokens are in the input, thoughts in the output. */
export function usageText(usage: Usage | undefined, isOwn: boolean): string {
  return usage && isOwn ? usage.native : JSON.stringify(toUsage(usage));
}

/** Texts and refusals that stand side by side are parts of one message; every other block is an item. */
function itemTexts(reply: ReplySource, losses: LossNote[]): string[] {
  const items: string[] = [];
  let parts: string[] = [];
  const closeMessage = (): void => {
    if (parts.length > 0) items.push(messageText(makeId(reply, 'msg_', items.length, 48), 'completed', parts));
    parts = [];
  };
  for (const { block, index, tool } of fitMessage(reply.message, ABILITIES, reply, losses)) {
    if (block.type === 'text' || block.type === 'refusal') parts.push(partText(block));
    else {
      closeMessage();
      items.push(itemText(block, reply, index, items.length, tool));
    }
  }
  closeMessage();
  return items;
}

export function itemText(
  block: ContentBlock,
  head: ReplyHead,
  index: number,
  place: number,
  tool?: ServedTool,
): string {
  switch (block.type) {
    case 'reasoning': {
      const summary = block.text === '' ? [] : [summaryText(block.text)];
      return reasoningText(makeId(head, 'rs_', place, 48), summary, head.reference?.(index));
    }
    case 'tool-use':
      return callText({ ...block, tool }, head, index, place, 'completed');
    case 'media':
      return imageText(makeId(head, 'ig_', place, 48), block);
    default:
      block satisfies { type: 'text' | 'refusal' | 'tool-result' | 'unknown' };
      return '';
  }
}

export function messageText(id: string, status: string, parts: readonly string[]): string {
  const name = JSON.stringify(id);
  return `{"id":${name},"type":"message","status":"${status}","content":[${parts.join(',')}],"role":"assistant"}`;
}

export function partText(block: ContentBlock, native?: string): string {
  if (native !== undefined) return native;
  if (block.type === 'refusal') return JSON.stringify({ type: 'refusal', refusal: block.text });
  const { text = '', citations = [] } = block.type === 'text' ? block : {};
  return `{"type":"output_text","annotations":[${citations.map(annotationText).join(',')}],"logprobs":[],"text":${JSON.stringify(text)}}`;
}

function annotationText({ url, title }: Citation): string {
  return JSON.stringify({ type: 'url_citation', start_index: 0, end_index: 0, url, title: title ?? '' });
}

export function summaryText(text: string): string {
  return JSON.stringify({ type: 'summary_text', text });
}

export function reasoningText(id: string, summary: readonly string[], reference: string | undefined): string {
  const sealed = reference === undefined ? '' : `,"encrypted_content":${JSON.stringify(reference)}`;
  return `{"id":${JSON.stringify(id)},"type":"reasoning","summary":[${summary.join(',')}]${sealed}}`;
}

type Call = Pick<ToolUseBlock, 'id' | 'name' | 'rawParameters' | 'form'> & { readonly tool?: ServedTool | undefined };

/** A call of a function, of a tool that takes text, or of one that only this API has. */
export function callText(call: Call, head: ReplyHead, index: number, place: number, status: string): string {
  const { id, name, rawParameters: raw, form, tool } = call;
  const callId = id || makeId(head, 'call_', index);
  const native = tool && nativeCall(tool, raw);
  if (native) {
    const known = { id: makeId(head, native.prefix, place, 48), type: native.type, status, call_id: callId };
    return JSON.stringify({ ...known, ...native.members });
  }
  const isCustom = (form ?? tool?.form) === 'custom';
  const known = {
    id: makeId(head, isCustom ? 'ctc_' : 'fc_', place, 48),
    type: isCustom ? 'custom_tool_call' : 'function_call',
    status,
    call_id: callId,
    name,
    ...(tool?.namespace !== undefined && { namespace: tool.namespace }),
  };
  const input = isCustom ? customInput(raw) : JSON.stringify(raw);
  return `${JSON.stringify(known).slice(0, -1)},"${isCustom ? 'input' : 'arguments'}":${input}}`;
}

/** The text that a tool takes, as a JSON string; what is no such text is quoted. */
function customInput(raw: string): string {
  const input = areArguments(raw) ? textAt(raw, ['input']) : undefined;
  return input?.startsWith('"') ? input : JSON.stringify(input ?? raw);
}

function imageText(id: string, { mediaType, source }: MediaBlock): string {
  const format = mediaType.slice('image/'.length);
  const result = source.kind === 'base64' ? source.data : '';
  return JSON.stringify({ id, type: 'image_generation_call', status: 'completed', output_format: format, result });
}
