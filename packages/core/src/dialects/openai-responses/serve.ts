import { isObject, type JsonObject, textAt } from '../../json/index.ts';
import type { Citation, ContentBlock, MediaBlock, Message, ToolUseBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { openaiErrorBody } from '../openai-error.ts';
import type { Stop, Usage } from '../reply.ts';
import {
  fitMessage,
  makeId,
  noteAlternatives,
  type OutgoingBlock,
  type ReplyAbilities,
  type StreamForm,
  StreamWriter,
} from '../reply-writer.ts';
import type {
  DialectServer,
  ReplyContent,
  ReplyHead,
  ReplySource,
  ReplyWriter,
  ServedError,
  WriteStreamOptions,
  WrittenReply,
} from '../serve.ts';
import { writeSse } from '../sse.ts';
import { readItems } from './items.ts';
import { DIALECT } from './provider.ts';
import { readItem, turnText } from './read-response.ts';

const ABILITIES: ReplyAbilities = {
  citations: ({ url }) => url !== undefined,
  refusals: true,
  customCalls: true,
  sealedReasoning: true,
  media: ({ mediaType, source }) => mediaType.startsWith('image/') && source.kind === 'base64',
};

/** The whole response: its output items are the message. */
function writeReply(reply: ReplySource): WrittenReply {
  const losses: LossNote[] = [];
  const { message, stop, usage } = reply;
  const isOwn = message.origin.dialect === DIALECT;
  const output = isOwn
    ? turnText(readItems(message.raw).items.map(({ text }) => text))
    : `[${itemTexts(reply, losses).join(',')}]`;
  noteAlternatives(reply, losses);
  return { body: responseText(reply, statusOf(stop, isOwn), output, usageText(usage, isOwn)), losses };
}

function writeStream(options: WriteStreamOptions): ReplyWriter {
  return new StreamWriter(new ItemForm(options), options);
}

interface Status {
  readonly status: string;
  readonly incomplete?: string;
  readonly error?: JsonObject;
}

/** What the end of a reply is called. Calls and refusals are told by the output. */
function statusOf({ reason, native }: Stop, isOwn: boolean): Status {
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

function responseText(head: ReplyHead, { status, incomplete, error }: Status, output: string, usage: string): string {
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
function usageText(usage: Usage | undefined, isOwn: boolean): string {
  if (!usage || isOwn) return usage?.native ?? 'null';
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  const written = cacheWrite5m + cacheWrite1h;
  const all = input + cacheRead + written;
  return JSON.stringify({
    input_tokens: all,
    input_tokens_details: { cached_tokens: cacheRead, ...(written > 0 && { cache_write_tokens: written }) },
    output_tokens: output + reasoning,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: all + output + reasoning,
  });
}

/** Texts and refusals that stand side by side are parts of one message; every other block is an item. */
function itemTexts(reply: ReplySource, losses: LossNote[]): string[] {
  const items: string[] = [];
  let parts: string[] = [];
  const closeMessage = (): void => {
    if (parts.length > 0) items.push(messageText(makeId(reply, 'msg_', items.length, 48), 'completed', parts));
    parts = [];
  };
  for (const { block, index } of fitMessage(reply.message, ABILITIES, reply, losses)) {
    if (block.type === 'text' || block.type === 'refusal') parts.push(partText(block));
    else {
      closeMessage();
      items.push(itemText(block, reply, index, items.length));
    }
  }
  closeMessage();
  return items;
}

function itemText(block: ContentBlock, head: ReplyHead, index: number, place: number): string {
  switch (block.type) {
    case 'reasoning': {
      const summary = block.text === '' ? [] : [summaryText(block.text)];
      return reasoningText(makeId(head, 'rs_', place, 48), summary, head.reference?.(index));
    }
    case 'tool-use':
      return callText(block, head, index, place, 'completed');
    case 'media':
      return imageText(makeId(head, 'ig_', place, 48), block);
    default:
      block satisfies { type: 'text' | 'refusal' | 'tool-result' | 'unknown' };
      return '';
  }
}

function messageText(id: string, status: string, parts: readonly string[]): string {
  const name = JSON.stringify(id);
  return `{"id":${name},"type":"message","status":"${status}","content":[${parts.join(',')}],"role":"assistant"}`;
}

function partText(block: ContentBlock, native?: string): string {
  if (native !== undefined) return native;
  if (block.type === 'refusal') return JSON.stringify({ type: 'refusal', refusal: block.text });
  const { text = '', citations = [] } = block.type === 'text' ? block : {};
  return `{"type":"output_text","annotations":[${citations.map(annotationText).join(',')}],"logprobs":[],"text":${JSON.stringify(text)}}`;
}

function annotationText({ url, title }: Citation): string {
  return JSON.stringify({ type: 'url_citation', start_index: 0, end_index: 0, url, title: title ?? '' });
}

function summaryText(text: string): string {
  return JSON.stringify({ type: 'summary_text', text });
}

function reasoningText(id: string, summary: readonly string[], reference: string | undefined): string {
  const sealed = reference === undefined ? '' : `,"encrypted_content":${JSON.stringify(reference)}`;
  return `{"id":${JSON.stringify(id)},"type":"reasoning","summary":[${summary.join(',')}]${sealed}}`;
}

type Call = Pick<ToolUseBlock, 'id' | 'name' | 'rawParameters' | 'form'>;

function callText(call: Call, head: ReplyHead, index: number, place: number, status: string): string {
  const { id, name, rawParameters: raw, form } = call;
  const known = {
    id: makeId(head, form ? 'ctc_' : 'fc_', place, 48),
    type: form ? 'custom_tool_call' : 'function_call',
    status,
    call_id: id || makeId(head, 'call_', index),
    name,
  };
  const input = form ? (textAt(raw, ['input']) ?? JSON.stringify(raw)) : JSON.stringify(raw);
  return `${JSON.stringify(known).slice(0, -1)},"${form ? 'input' : 'arguments'}":${input}}`;
}

function imageText(id: string, { mediaType, source }: MediaBlock): string {
  const format = mediaType.slice('image/'.length);
  const result = source.kind === 'base64' ? source.data : '';
  return JSON.stringify({ id, type: 'image_generation_call', status: 'completed', output_format: format, result });
}

/** The text of a block as the events name it: their word, and the member that holds it. */
const TEXTS = {
  text: { name: 'output_text', member: 'text', more: ',"logprobs":[]' },
  refusal: { name: 'refusal', member: 'refusal', more: '' },
} as const;

/** Each item is added, brought in pieces and done; the response is created, in progress and at last complete. */
class ItemForm implements StreamForm {
  readonly dialect = DIALECT;
  readonly abilities = ABILITIES;
  readonly losses: LossNote[] = [];
  readonly streamed: ReadonlySet<ContentBlock['type']> = new Set(['text', 'refusal', 'reasoning', 'tool-use']);
  readonly #options: WriteStreamOptions;
  readonly #output: string[] = [];
  #sequence = 0;
  /** The message item that is open, with its finished parts. */
  #message: { readonly id: string; readonly parts: string[] } | undefined;
  /** The paragraphs of the reasoning item that is open: those that are finished, and the text of the last. */
  #summary: { readonly parts: string[]; text: string | undefined } = { parts: [], text: undefined };

  constructor(options: WriteStreamOptions) {
    this.#options = options;
  }

  begin(): string {
    const response = `"response":${responseText(this.#options, { status: 'in_progress' }, '[]', 'null')}`;
    return this.#event('response.created', response) + this.#event('response.in_progress', response);
  }

  open({ kind, index, call }: OutgoingBlock): string {
    if (kind === 'text' || kind === 'refusal') {
      const before = this.#openMessage();
      const part = partText({ type: kind, text: '' });
      return before + this.#partEvent('content_part.added', `"part":${part}`);
    }
    const before = this.#closeMessage();
    this.#summary = { parts: [], text: undefined };
    const item =
      kind === 'reasoning'
        ? reasoningText(this.#itemId('rs_'), [], this.#options.reference?.(index))
        : callText({ ...call!, rawParameters: '' }, this.#options, index, this.#output.length, 'in_progress');
    return before + this.#event('response.output_item.added', `${this.#place()},"item":${item}`);
  }

  piece({ kind }: OutgoingBlock, text: string, isParagraph: boolean): string {
    const delta = `"delta":${JSON.stringify(text)}`;
    if (kind === 'text' || kind === 'refusal')
      return this.#partEvent(`${TEXTS[kind].name}.delta`, `${delta}${TEXTS[kind].more}`);
    if (kind === 'tool-use')
      return this.#event(
        'response.function_call_arguments.delta',
        `"item_id":${this.#quoted('fc_')},${this.#place()},${delta}`,
      );
    if (isParagraph) return this.#closeSummary();
    const before =
      this.#summary.text === undefined ? this.#summaryEvent('part.added', `"part":${summaryText('')}`) : '';
    this.#summary.text = (this.#summary.text ?? '') + text;
    return before + this.#summaryEvent('text.delta', delta);
  }

  close(block: OutgoingBlock, content: ContentBlock | undefined, native: string | undefined): string {
    const { kind, written, index, call } = block;
    if (kind === 'text' || kind === 'refusal') {
      const { name, member, more } = TEXTS[kind];
      const part = partText(content ?? { type: kind, text: written }, native);
      const text =
        this.#partEvent(`${name}.done`, `"${member}":${JSON.stringify(written)}${more}`) +
        this.#partEvent('content_part.done', `"part":${part}`);
      this.#message!.parts.push(part);
      return text;
    }
    if (kind === 'reasoning') {
      const before = this.#closeSummary();
      const reference = this.#options.reference?.(index);
      return before + this.#done(native ?? reasoningText(this.#itemId('rs_'), this.#summary.parts, reference));
    }
    const item = callText({ ...call!, rawParameters: written }, this.#options, index, this.#output.length, 'completed');
    const members = `"item_id":${this.#quoted('fc_')},${this.#place()},"arguments":${JSON.stringify(written)}`;
    return this.#event('response.function_call_arguments.done', members) + this.#done(native ?? item);
  }

  whole({ index }: OutgoingBlock, content: ContentBlock, native: string | undefined): string {
    const before = this.#closeMessage();
    const item = native ?? itemText(content, this.#options, index, this.#output.length);
    const id = textAt(item, ['id']) ?? '""';
    const steps = content.type === 'media' && native === undefined ? ['in_progress', 'generating', 'completed'] : [];
    const added =
      native ??
      (content.type === 'media' ? `{"id":${id},"type":"image_generation_call","status":"in_progress"}` : item);
    return [
      before,
      this.#event('response.output_item.added', `${this.#place()},"item":${added}`),
      ...steps.map((step) => this.#event(`response.image_generation_call.${step}`, `"item_id":${id},${this.#place()}`)),
      this.#done(item),
    ].join('');
  }

  end({ message, stop, usage }: ReplyContent, isOwn: boolean): string {
    const before = this.#closeMessage();
    const state = statusOf(stop, isOwn);
    const isExact = message.origin.dialect === DIALECT;
    const output = isExact ? turnText(readItems(message.raw).items.map(({ text }) => text)) : turnText(this.#output);
    const response = responseText(this.#options, state, output, usageText(usage, isOwn));
    return before + this.#event(`response.${state.status}`, `"response":${response}`);
  }

  /** Clients look for either event. */
  fail({ code, message }: ServedError): string {
    const error = { code, message };
    const response = responseText(this.#options, { status: 'failed', error }, turnText(this.#output), 'null');
    return (
      this.#event('error', `${JSON.stringify({ ...error, param: null }).slice(1, -1)}`) +
      this.#event('response.failed', `"response":${response}`)
    );
  }

  /** The parts of a message item are blocks, every other item is one. */
  natives({ raw }: Message): readonly (string | undefined)[] {
    return readItems(raw).items.flatMap((item) => {
      const count = readItem(item, 'assistant', () => '')?.length ?? 1;
      const isMessage = textAt(item.text, ['content', 0]) !== undefined && textAt(item.text, ['summary']) === undefined;
      return Array.from({ length: count }, (_, at) => (isMessage ? textAt(item.text, ['content', at]) : item.text));
    });
  }

  #openMessage(): string {
    if (this.#message) return '';
    this.#message = { id: this.#itemId('msg_'), parts: [] };
    const item = messageText(this.#message.id, 'in_progress', []);
    return this.#event('response.output_item.added', `${this.#place()},"item":${item}`);
  }

  #closeMessage(): string {
    const message = this.#message;
    this.#message = undefined;
    return message ? this.#done(messageText(message.id, 'completed', message.parts)) : '';
  }

  #closeSummary(): string {
    const { parts, text } = this.#summary;
    if (text === undefined) return '';
    const part = summaryText(text);
    const done =
      this.#summaryEvent('text.done', `"text":${JSON.stringify(text)}`) +
      this.#summaryEvent('part.done', `"part":${part}`);
    this.#summary = { parts: [...parts, part], text: undefined };
    return done;
  }

  #done(item: string): string {
    const text = this.#event('response.output_item.done', `${this.#place()},"item":${item}`);
    this.#output.push(item);
    return text;
  }

  #partEvent(name: string, members: string): string {
    const { id, parts } = this.#message!;
    const place = `"item_id":${JSON.stringify(id)},${this.#place()},"content_index":${parts.length}`;
    return this.#event(`response.${name}`, `${place},${members}`);
  }

  #summaryEvent(name: string, members: string): string {
    const place = `"item_id":${this.#quoted('rs_')},${this.#place()},"summary_index":${this.#summary.parts.length}`;
    return this.#event(`response.reasoning_summary_${name}`, `${place},${members}`);
  }

  #place(): string {
    return `"output_index":${this.#output.length}`;
  }

  #itemId(prefix: string): string {
    return makeId(this.#options, prefix, this.#output.length, 48);
  }

  #quoted(prefix: string): string {
    return JSON.stringify(this.#itemId(prefix));
  }

  #event(type: string, members: string): string {
    return writeSse(type, `{"type":"${type}","sequence_number":${this.#sequence++},${members}}`);
  }
}

export const serve: DialectServer = {
  id: DIALECT,
  responseId: ({ id, response }) => (isObject(response) ? response.id : id),
  kept: {
    anchors: ['previous_response_id', 'conversation', 'type', 'stream_id', 'generate'],
    previous: ({ previous_response_id: response, conversation }) => ({
      response,
      conversation: isObject(conversation) ? conversation.id : conversation,
    }),
    refersTo: ({ type = 'item_reference', id }) => (type === 'item_reference' ? id : undefined),
    isPending: ({ status }) => status === 'queued' || status === 'in_progress',
  },
  errorBody: openaiErrorBody,
  writeReply,
  writeStream,
};
