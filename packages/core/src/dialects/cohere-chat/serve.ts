import { elementTexts, findMembers, type JsonObject, textAt } from '../../json/index.ts';
import type { Citation, ContentBlock, Message } from '../../message/index.ts';
import { fitMessage, type ReplyAbilities } from '../fit-reply.ts';
import { type LossNote, rewritten } from '../loss.ts';
import type { StopReason, Usage } from '../reply.ts';
import {
  makeId,
  noteAlternatives,
  type OutgoingBlock,
  type StreamForm,
  StreamWriter,
  stopWord,
} from '../reply-writer.ts';
import type { RequestMeaning } from '../request-meaning.ts';
import type {
  DialectServer,
  ReplyContent,
  ReplySource,
  ReplyWriter,
  ServedError,
  WriteStreamOptions,
  WrittenReply,
} from '../serve.ts';
import { writeSse } from '../sse.ts';
import { toArguments } from '../write/translate.ts';
import { cohere, DIALECT } from './provider.ts';

const ABILITIES: ReplyAbilities = {
  citations: () => true,
  refusals: false,
  customCalls: false,
  sealedReasoning: false,
  media: () => false,
  policies: cohere.policies,
};

const STOP_WORDS: Readonly<Partial<Record<StopReason, string>>> = {
  end: 'COMPLETE',
  'tool-use': 'TOOL_CALL',
  length: 'MAX_TOKENS',
  cut: 'MAX_TOKENS',
  'stop-sequence': 'STOP_SEQUENCE',
  error: 'ERROR',
};

/** The whole response: the message is `message`. */
function writeReply(reply: ReplySource): WrittenReply {
  const losses: LossNote[] = [];
  const { message, stop, usage, id } = reply;
  const isOwn = message.origin.dialect === DIALECT;
  const written = isOwn ? message.raw : messageText(reply, losses);
  noteAlternatives(reply, losses);
  const members = [
    `"id":${JSON.stringify(id)}`,
    `"message":${written}`,
    `"finish_reason":${JSON.stringify(stopWord(stop, isOwn, STOP_WORDS))}`,
    `"usage":${usageText(usage, isOwn)}`,
  ];
  return { body: `{${members.join(',')}}`, losses };
}

/** Parts and calls stand in lists of their own; sources stand beside them. */
function messageText(reply: ReplySource, losses: LossNote[]): string {
  const parts: string[] = [];
  const calls: string[] = [];
  const citations: string[] = [];
  for (const { block, index } of fitMessage(reply.message, ABILITIES, reply, losses)) {
    if (block.type !== 'tool-use' && calls.length > 0) noteReordered(index, losses);
    switch (block.type) {
      case 'text':
        for (const citation of block.citations ?? []) citations.push(citationText(citation, block.text, parts.length));
        parts.push(`{"type":"text","text":${JSON.stringify(block.text)}}`);
        break;
      case 'reasoning':
        parts.push(`{"type":"thinking","thinking":${JSON.stringify(block.text)}}`);
        break;
      case 'tool-use': {
        const args = toArguments(block.rawParameters, `content[${index}].parameters`, losses);
        calls.push(callText(block.id || makeId(reply, `${block.name}_`, index, 12), block.name, args));
        break;
      }
      default:
        block satisfies { type: 'refusal' | 'media' | 'tool-result' | 'unknown' };
    }
  }
  const lists = { content: parts, tool_calls: calls, citations };
  const members = Object.entries(lists).flatMap(([name, texts]) =>
    texts.length > 0 ? [`"${name}":[${texts.join(',')}]`] : [],
  );
  return `{${['"role":"assistant"', ...members].join(',')}}`;
}

/** Notes the first part that follows a call: parts stand before all calls. */
function noteReordered(index: number, losses: LossNote[]): void {
  if (!losses.some(({ reason }) => reason === 'reordered')) losses.push(rewritten(`content[${index}]`, 'reordered'));
}

function callText(id: string, name: string, args: string): string {
  const called = `{"name":${JSON.stringify(name)},"arguments":${JSON.stringify(args)}}`;
  return `{"id":${JSON.stringify(id)},"type":"function","function":${called}}`;
}

/** A source of the part at an index, in the form of a document. */
function citationText({ url, title, quote }: Citation, text: string, index: number): string {
  const start = Math.max(0, text.indexOf(quote ?? text));
  const document = { ...(title !== undefined && { title }), ...(url !== undefined && { url }) };
  return JSON.stringify({
    start,
    end: start + (quote ?? text).length,
    text: quote ?? text,
    sources: [{ type: 'document', id: `doc:${index}`, document }],
    content_index: index,
    type: 'TEXT_CONTENT',
  });
}

function usageText(usage: Usage | undefined, isOwn: boolean): string {
  if (isOwn && usage) return usage.native;
  const { input = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, output = 0, reasoning = 0 } = usage ?? {};
  const tokens = {
    input_tokens: input + cacheRead + cacheWrite5m + cacheWrite1h,
    output_tokens: output + reasoning,
  };
  return JSON.stringify({ billed_units: tokens, tokens, cached_tokens: cacheRead });
}

function errorBody({ message }: ServedError): JsonObject {
  return { message };
}

function writeStream(options: WriteStreamOptions): ReplyWriter {
  return new StreamWriter(new MessageForm(options), options);
}

/** `message-start`; for each part and each call its start, its deltas and its end; `message-end`. */
class MessageForm implements StreamForm {
  readonly dialect = DIALECT;
  readonly abilities = ABILITIES;
  readonly losses: LossNote[] = [];
  readonly streamed: ReadonlySet<ContentBlock['type']> = new Set(['text', 'reasoning', 'tool-use']);
  readonly #options: WriteStreamOptions;
  /** How many parts and calls there are; the last of its kind is open. */
  #parts = 0;
  #calls = 0;
  #citations = 0;

  constructor(options: WriteStreamOptions) {
    this.#options = options;
  }

  begin(): string {
    const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
    return event('message-start', `"id":${JSON.stringify(this.#options.id)},"delta":${JSON.stringify({ message })}`);
  }

  open({ kind, call, index }: OutgoingBlock): string {
    if (kind === 'tool-use') {
      this.#calls += 1;
      return this.#say(
        'tool-call-start',
        `{"tool_calls":${callText(call?.id ?? '', call?.name ?? '', '')}}`,
        this.#calls,
      );
    }
    if (this.#calls > 0) noteReordered(index, this.losses);
    this.#parts += 1;
    const part = kind === 'reasoning' ? '{"type":"thinking","thinking":""}' : '{"type":"text","text":""}';
    return this.#say('content-start', `{"content":${part}}`, this.#parts);
  }

  piece({ kind }: OutgoingBlock, text: string): string {
    const json = JSON.stringify(text);
    if (kind === 'tool-use')
      return this.#say('tool-call-delta', `{"tool_calls":{"function":{"arguments":${json}}}}`, this.#calls);
    const name = kind === 'reasoning' ? 'thinking' : 'text';
    return this.#say('content-delta', `{"content":{"${name}":${json}}}`, this.#parts);
  }

  close({ kind, written }: OutgoingBlock, content: ContentBlock | undefined): string {
    if (kind === 'tool-use') return event('tool-call-end', `"index":${this.#calls - 1}`);
    const citations = content?.type === 'text' ? (content.citations ?? []) : [];
    const isOwn = this.#options.dialect === DIALECT;
    const cited = citations.map((citation) => {
      const text = isOwn ? citation.native : citationText(citation, written, this.#parts - 1);
      this.#citations += 1;
      const index = `"index":${this.#citations - 1}`;
      const start = event('citation-start', `${index},"delta":{"message":{"citations":${text}}}`);
      return start + event('citation-end', index);
    });
    return cited.join('') + event('content-end', `"index":${this.#parts - 1}`);
  }

  whole(_block: OutgoingBlock, _content: ContentBlock, native: string | undefined): string {
    if (native === undefined) return '';
    this.#parts += 1;
    const start = this.#say('content-start', `{"content":${native}}`, this.#parts);
    return start + event('content-end', `"index":${this.#parts - 1}`);
  }

  end({ stop, usage }: ReplyContent, isOwn: boolean): string {
    const word = JSON.stringify(stopWord(stop, isOwn, STOP_WORDS));
    return event('message-end', `"delta":{"finish_reason":${word},"usage":${usageText(usage, isOwn)}}`);
  }

  fail(error: ServedError): string {
    return writeSse('error', JSON.stringify({ type: 'error', ...errorBody(error) }));
  }

  /** The plan for calls, and the parts, in their order, then the calls: as the view has them. */
  natives({ raw, content }: Message): readonly (string | undefined)[] {
    const parts = textAt(raw, ['content']);
    const listed = parts?.startsWith('[') ? elementTexts(parts) : [];
    const plan = textAt(raw, ['tool_plan']);
    const names = findMembers(raw).map(({ name }) => name);
    const at = names.indexOf('content') < names.indexOf('tool_plan') ? listed.length : 0;
    const natives =
      plan !== undefined && plan !== '""' && plan !== 'null'
        ? [...listed.slice(0, at), undefined, ...listed.slice(at)]
        : listed;
    return content.map((_, index) => natives[index]);
  }

  #say(type: string, message: string, count: number): string {
    return event(type, `"index":${count - 1},"delta":{"message":${message}}`);
  }
}

function event(type: string, members: string): string {
  return writeSse(type, `{"type":"${type}",${members}}`);
}

const meaning: RequestMeaning = {
  params: {},
  members: {
    frequency_penalty: { setting: 'frequency-penalty', otherwise: 'reported', idle: [0] },
    k: { setting: 'top-k', otherwise: 'reported', idle: [0] },
    presence_penalty: { setting: 'presence-penalty', otherwise: 'reported', idle: [0] },
  },
  reasoning: () => ({ efforts: ['none'], takesBudget: true }),
  stops: () => ({ most: 5 }),
  jsonObject: { response_format: { type: 'json_object' } },
};

export const serve: DialectServer = {
  id: DIALECT,
  responseId: ({ id }) => id,
  errorBody,
  writeReply,
  writeStream,
  meaning,
};
