import { elementTexts, findMembers, isObject, textAt } from '../../json/index.ts';
import type { ContentBlock, Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { openaiErrorBody } from '../openai-answers.ts';
import { makeId, type OutgoingBlock, type StreamForm, StreamWriter } from '../reply-writer.ts';
import type {
  DialectServer,
  KeptHistories,
  KeptRefusal,
  ReplyContent,
  ReplyWriter,
  ServedError,
  WriteStreamOptions,
} from '../serve.ts';
import { writeSse } from '../sse.ts';
import { readItems } from './items.ts';
import { DIALECT } from './provider.ts';
import { readItem, turnText } from './read-response.ts';
import { meaning } from './request-meaning.ts';
import { servedAnswers } from './served-answers.ts';
import { createConversation, listInputItems } from './served-state.ts';
import {
  ABILITIES,
  callText,
  itemText,
  messageText,
  partText,
  reasoningText,
  responseText,
  statusOf,
  summaryText,
  usageText,
  writeReply,
} from './write-reply.ts';

function writeStream(options: WriteStreamOptions): ReplyWriter {
  return new StreamWriter(new ItemForm(options), options);
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

  open({ kind, index, call, tool }: OutgoingBlock): string {
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
        : callText({ ...call!, tool, rawParameters: '' }, this.#options, index, this.#output.length, 'in_progress');
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
    const { kind, written, index, call, tool } = block;
    if (kind === 'text' || kind === 'refusal') {
      const { name, member, more } = TEXTS[kind];
      const part = partText(content ?? { type: kind, text: written }, native);
      const text =
        this.#annotations(part) +
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
    const item = callText(
      { ...call!, tool, rawParameters: written },
      this.#options,
      index,
      this.#output.length,
      'completed',
    );
    const members = `"item_id":${this.#quoted('fc_')},${this.#place()},"arguments":${JSON.stringify(written)}`;
    return this.#event('response.function_call_arguments.done', members) + this.#done(native ?? item);
  }

  /** Each source of a text is told before the text is done. */
  #annotations(part: string): string {
    const list = textAt(part, ['annotations']);
    const annotations = list?.startsWith('[') ? elementTexts(list) : [];
    return annotations
      .map((one, at) => this.#partEvent('output_text.annotation.added', `"annotation_index":${at},"annotation":${one}`))
      .join('');
  }

  whole({ index, tool }: OutgoingBlock, content: ContentBlock, native: string | undefined): string {
    const before = this.#closeMessage();
    const item = native ?? itemText(content, this.#options, index, this.#output.length, tool);
    const id = textAt(item, ['id']) ?? '""';
    const steps = native === undefined ? this.#steps(content, item, `"item_id":${id},${this.#place()}`) : [];
    const begun = item.replace('"status":"completed"', '"status":"in_progress"');
    const added =
      content.type === 'media' ? `{"id":${id},"type":"image_generation_call","status":"in_progress"}` : begun;
    return [
      before,
      this.#event('response.output_item.added', `${this.#place()},"item":${native ?? added}`),
      ...steps.map(([name, members]) => this.#event(name, members)),
      this.#done(item),
    ].join('');
  }

  /** The events between the beginning and the end of an item that is written whole. */
  #steps(content: ContentBlock, item: string, place: string): (readonly [name: string, members: string])[] {
    if (content.type === 'media')
      return ['in_progress', 'generating', 'completed'].map((step) => [
        `response.image_generation_call.${step}`,
        place,
      ]);
    const input = content.type === 'tool-use' ? textAt(item, ['input']) : undefined;
    if (input === undefined) return [];
    return [
      ['response.custom_tool_call_input.delta', `${place},"delta":${input}`],
      ['response.custom_tool_call_input.done', `${place},"input":${input}`],
    ];
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

const MISSING: Readonly<Record<'response' | 'conversation' | 'item', (id: string) => KeptRefusal>> = {
  response: (id) => ({
    status: 400,
    word: 'previous_response_not_found',
    message: `Previous response with id '${id}' not found.`,
    param: 'previous_response_id',
  }),
  conversation: (id) => ({
    status: 404,
    word: 'conversation_not_found',
    message: `Conversation with id '${id}' not found.`,
    param: 'conversation',
  }),
  item: (id) => ({ status: 404, word: 'item_not_found', message: `Item with id '${id}' not found.`, param: 'input' }),
};

/** `response.steer`: the next response has the settings of the one that was steered. */
const steering: NonNullable<KeptHistories['steering']> = {
  response: ({ type, previous_response_id: id }) => (type === 'response.steer' ? id : undefined),
  toRequest(request, response, messages) {
    const settings = findMembers(request).filter(({ name }) => name !== 'input' && name !== 'previous_response_id');
    const items = messages.flatMap((message) => {
      const input = textAt(message, ['input']) ?? '[]';
      return input.startsWith('[') ? elementTexts(input) : [`{"type":"message","role":"user","content":${input}}`];
    });
    const members = settings.map(({ name, start, end }) => `${JSON.stringify(name)}:${request.slice(start, end)}`);
    return `{${members.join(',')},"previous_response_id":${JSON.stringify(response)},"input":[${items.join(',')}]}`;
  },
};

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
    held: {
      missing: (what, id) => MISSING[what](id),
      deleted: (id) => ({ id, object: 'response', deleted: true }),
      cancelled: () => ({
        status: 400,
        word: 'invalid_request_error',
        message: 'Cannot cancel a synchronous response.',
      }),
      inputItems: listInputItems,
      createConversation,
    },
    steering,
  },
  errorBody: openaiErrorBody,
  writeReply,
  writeStream,
  meaning,
  api: {
    ...servedAnswers,
    vendor: 'openai',
    operations: [
      { operation: 'ask', method: 'POST', path: /^(?:\/v1)?\/responses$/ },
      { operation: 'count', method: 'POST', path: /^(?:\/v1)?\/responses\/input_tokens$/ },
      { operation: 'compact', method: 'POST', path: /^(?:\/v1)?\/responses\/compact$/ },
      { operation: 'get', method: 'GET', path: /^(?:\/v1)?\/responses\/(?<response>[\w-]+)$/ },
      { operation: 'input-items', method: 'GET', path: /^(?:\/v1)?\/responses\/(?<response>[\w-]+)\/input_items$/ },
      { operation: 'cancel', method: 'POST', path: /^(?:\/v1)?\/responses\/(?<response>[\w-]+)\/cancel$/ },
      { operation: 'create-conversation', method: 'POST', path: /^(?:\/v1)?\/conversations$/ },
      { operation: 'delete', method: 'DELETE', path: /^(?:\/v1)?\/responses\/(?<response>[\w-]+)$/ },
    ],
    makeId: (text) => `resp_${text}`,
    modelPaths: [['response', 'model'], ['model']],
    closing: /^\{"type":\s*"response\.(?:completed|incomplete|failed)"/,
  },
};
