import { elementTexts, find, isObject, type JsonObject, splice, textAt } from '../../json/index.ts';
import type { Citation, ContentBlock, Message } from '../../message/index.ts';
import { cutAround, PLACE } from '../delta-run.ts';
import { fitMessage, type ReplyAbilities } from '../fit-reply.ts';
import type { LossNote } from '../loss.ts';
import type { StopReason, Usage } from '../reply.ts';
import {
  makeId,
  noteAlternatives,
  type OutgoingBlock,
  type StreamForm,
  StreamWriter,
  stopWord,
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
import { toArguments } from '../write/translate.ts';
import { heldThreads } from './held-threads.ts';
import { anthropic, DIALECT } from './provider.ts';
import { meaning } from './request-meaning.ts';
import { servedAnswers } from './served-answers.ts';

const ABILITIES: ReplyAbilities = {
  citations: ({ url }) => url !== undefined,
  refusals: false,
  customCalls: false,
  sealedReasoning: true,
  media: () => false,
  policies: anthropic.policies,
};

const STOP_WORDS: Readonly<Partial<Record<StopReason, string>>> = {
  end: 'end_turn',
  'tool-use': 'tool_use',
  length: 'max_tokens',
  cut: 'max_tokens',
  'stop-sequence': 'stop_sequence',
  refusal: 'refusal',
  filter: 'refusal',
  pause: 'pause_turn',
};

/** The whole response: one object, in which the message is `content`. */
function writeReply(reply: ReplySource): WrittenReply {
  const losses: LossNote[] = [];
  const { message, stop, usage } = reply;
  const isOwn = message.origin.dialect === DIALECT;
  const content = isOwn ? textAt(message.raw, ['content'])! : `[${contentTexts(reply, losses).join(',')}]`;
  noteAlternatives(reply, losses);
  const members = [
    ...headMembers(reply),
    `"content":${content}`,
    `"stop_reason":${JSON.stringify(stopWord(stop, isOwn, STOP_WORDS))}`,
    '"stop_sequence":null',
    `"usage":${usageText(usage, isOwn)}`,
  ];
  return { body: `{${members.join(',')}}`, losses };
}

function writeStream(options: WriteStreamOptions): ReplyWriter {
  return new StreamWriter(new MessageForm(options), options);
}

/** An error, in a body or in the middle of a stream. */
function errorBody({ status, code, message }: ServedError): JsonObject {
  const type = ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  const details = code.startsWith('thread_') && { details: { error_code: code } };
  return { type: 'error', error: { type, message, ...details } };
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function headMembers({ id, model }: ReplyHead): string[] {
  return [`"id":${JSON.stringify(id)}`, '"type":"message"', '"role":"assistant"', `"model":${JSON.stringify(model)}`];
}

function contentTexts(reply: ReplySource, losses: LossNote[]): string[] {
  return fitMessage(reply.message, ABILITIES, reply, losses).map(({ block, index }) => {
    switch (block.type) {
      case 'text': {
        const citations = (block.citations ?? []).map(citationText);
        const cited = citations.length > 0 ? `,"citations":[${citations.join(',')}]` : '';
        return `{"type":"text","text":${JSON.stringify(block.text)}${cited}}`;
      }
      case 'reasoning': {
        const reference = JSON.stringify(reply.reference?.(index) ?? '');
        if (block.redacted) return `{"type":"redacted_thinking","data":${reference}}`;
        return `{"type":"thinking","thinking":${JSON.stringify(block.text)},"signature":${reference}}`;
      }
      case 'tool-use': {
        const id = block.id || makeId(reply, 'toolu_', index);
        const input = toArguments(block.rawParameters, `content[${index}].parameters`, losses);
        return `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(block.name)},"input":${input}}`;
      }
      default:
        block satisfies { type: 'refusal' | 'media' | 'tool-result' | 'unknown' };
        return '';
    }
  });
}

/** A citation of a page, in the form of the API's own web search. */
function citationText({ url, title, quote }: Citation): string {
  return JSON.stringify({
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    encrypted_index: '',
    cited_text: quote ?? '',
  });
}

/**
 * Tokens that were read from or written to the cache are not in `input_tokens`; thoughts are in `output_tokens`. The end of
 * a stream repeats only the counts.
 */
function usageText(usage: Usage | undefined, isOwn: boolean, isWhole = true): string {
  if (isOwn && usage) return usage.native;
  const { input = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, output = 0, reasoning = 0 } = usage ?? {};
  return JSON.stringify({
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    ...(isWhole && {
      cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    }),
    output_tokens: output + reasoning,
    ...(isWhole && { service_tier: 'standard' }),
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
  });
}

/** `message_start`; for each block its start, its deltas and its stop; `message_delta` and `message_stop`. */
class MessageForm implements StreamForm {
  readonly dialect = DIALECT;
  readonly abilities = ABILITIES;
  readonly losses: LossNote[] = [];
  readonly streamed: ReadonlySet<ContentBlock['type']> = new Set(['text', 'reasoning', 'tool-use']);
  readonly #options: WriteStreamOptions;
  /** The API's index of the block that is open. */
  #index = -1;

  constructor(options: WriteStreamOptions) {
    this.#options = options;
  }

  begin(usage: Usage | undefined): string {
    const members = [
      ...headMembers(this.#options),
      '"content":[]',
      '"stop_reason":null',
      '"stop_sequence":null',
      `"usage":${usageText(usage, this.#options.dialect === DIALECT)}`,
    ];
    return event('message_start', `"message":{${members.join(',')}}`);
  }

  open({ kind, call }: OutgoingBlock): string {
    if (kind === 'tool-use')
      return this.#start(
        `{"type":"tool_use","id":${JSON.stringify(call?.id)},"name":${JSON.stringify(call?.name)},"input":{}}`,
      );
    return this.#start(
      kind === 'reasoning' ? '{"type":"thinking","thinking":"","signature":""}' : '{"type":"text","text":""}',
    );
  }

  piece({ kind }: OutgoingBlock, text: string): string {
    return this.#piece(kind, JSON.stringify(text));
  }

  frame({ kind }: OutgoingBlock): readonly [string, string] {
    return cutAround(this.#piece(kind, `"${PLACE}"`));
  }

  close({ kind, index }: OutgoingBlock, content: ContentBlock | undefined, native: string | undefined): string {
    let last = '';
    if (kind === 'reasoning') {
      const reference = this.#options.reference?.(index);
      const signature =
        native === undefined ? JSON.stringify(reference ?? '') : (textAt(native, ['signature']) ?? '""');
      if (signature !== '""') last = this.#delta('signature_delta', 'signature', signature);
    } else if (content?.type === 'text')
      for (const citation of content.citations ?? [])
        last += this.#delta(
          'citations_delta',
          'citation',
          native === undefined ? citationText(citation) : citation.native,
        );
    return last + this.#stop();
  }

  whole({ index }: OutgoingBlock, content: ContentBlock, native: string | undefined): string {
    const reference = JSON.stringify(this.#options.reference?.(index) ?? '');
    const text = native ?? (content.type === 'reasoning' ? `{"type":"redacted_thinking","data":${reference}}` : '');
    if (text === '') return '';
    // The arguments of server-side calls come in pieces as those of others.
    const input = textAt(text, ['input']);
    if (!input?.startsWith('{')) return this.#start(text) + this.#stop();
    const begun = splice(text, [{ ...find(text, ['input'])!, text: '{}' }]);
    return this.#start(begun) + this.#delta('input_json_delta', 'partial_json', JSON.stringify(input)) + this.#stop();
  }

  end({ stop, usage }: ReplyContent, isOwn: boolean): string {
    const word = JSON.stringify(stopWord(stop, isOwn, STOP_WORDS));
    const delta = `"delta":{"stop_reason":${word},"stop_sequence":null}`;
    return event('message_delta', `${delta},"usage":${usageText(usage, isOwn, false)}`) + event('message_stop');
  }

  fail(error: ServedError): string {
    return writeSse('error', JSON.stringify(errorBody(error)));
  }

  natives({ raw }: Message): readonly (string | undefined)[] {
    const content = textAt(raw, ['content']) ?? '';
    return content.startsWith('[') ? elementTexts(content) : [`{"type":"text","text":${content}}`];
  }

  #start(block: string): string {
    this.#index += 1;
    return event('content_block_start', `"index":${this.#index},"content_block":${block}`);
  }

  #piece(kind: OutgoingBlock['kind'], json: string): string {
    if (kind === 'tool-use') return this.#delta('input_json_delta', 'partial_json', json);
    return kind === 'reasoning'
      ? this.#delta('thinking_delta', 'thinking', json)
      : this.#delta('text_delta', 'text', json);
  }

  #delta(type: string, member: string, json: string): string {
    return event('content_block_delta', `"index":${this.#index},"delta":{"type":"${type}","${member}":${json}}`);
  }

  #stop(): string {
    return event('content_block_stop', `"index":${this.#index}`);
  }
}

function event(type: string, members?: string): string {
  return writeSse(type, `{"type":"${type}"${members ? `,${members}` : ''}}`);
}

export const serve: DialectServer = {
  id: DIALECT,
  responseId: ({ id, message }) => (isObject(message) ? message.id : id),
  kept: {
    anchors: ['thread'],
    keeps: ['system', 'tools'],
    previous: ({ thread, diagnostics }) => ({
      response: isObject(thread) && thread.type === 'continue' ? thread.previous_message_id : undefined,
      last: isObject(diagnostics) ? diagnostics.previous_message_id : undefined,
    }),
    refersTo: () => undefined,
    isPending: () => false,
    held: heldThreads,
  },
  errorBody,
  writeReply,
  writeStream,
  meaning,
  api: {
    ...servedAnswers,
    vendor: 'anthropic',
    operations: [
      { operation: 'ask', method: 'POST', path: /^(?:\/v1)?\/messages$/ },
      { operation: 'count', method: 'POST', path: /^(?:\/v1)?\/messages\/count_tokens$/ },
      { operation: 'models', method: 'GET', path: /^(?:\/v1)?\/models$/ },
      { operation: 'model', method: 'GET', path: /^(?:\/v1)?\/models\/(?<model>.+)$/ },
    ],
    makeId: (text) => `msg_${text}`,
    modelPaths: [['message', 'model'], ['model']],
    closing: /"type":\s*"message_stop"/,
  },
};
