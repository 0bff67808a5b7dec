import { elementTexts, type JsonObject } from '../../json/index.ts';
import type { ContentBlock, MediaBlock, Message, ToolUseBlock } from '../../message/index.ts';
import { fitMessage, type ReplyAbilities } from '../fit-reply.ts';
import { type LossNote, rewritten } from '../loss.ts';
import type { Alternative, StopReason, Usage } from '../reply.ts';
import { type OutgoingBlock, type StreamForm, StreamWriter, stopWord } from '../reply-writer.ts';
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
import { addCall, type Call, fieldText, readContent } from './parts.ts';
import { google } from './provider.ts';
import { view } from './read-response.ts';
import { meaning } from './request-meaning.ts';
import { servedAnswers } from './served-answers.ts';

const ABILITIES: ReplyAbilities = {
  citations: () => false,
  refusals: false,
  customCalls: false,
  sealedReasoning: true,
  // Inline data needs an exact type, a file an address.
  media: ({ mediaType, source }) =>
    source.kind === 'base64' ? !mediaType.endsWith('/*') : source.kind === 'url' && /^https?:/.test(source.url),
  policies: google.policies,
};

const STOP_WORDS: Readonly<Partial<Record<StopReason, string>>> = {
  end: 'STOP',
  length: 'MAX_TOKENS',
  cut: 'MAX_TOKENS',
  refusal: 'SAFETY',
  filter: 'SAFETY',
  error: 'OTHER',
};

/** The whole response: each candidate has a content. */
function writeReply(reply: ReplySource): WrittenReply {
  const losses: LossNote[] = [];
  const candidates = [reply, ...(reply.alternatives ?? [])].map((choice, index) =>
    candidateText(choice, index, reply, losses),
  );
  const isOwn = reply.message.origin.dialect === google.dialect;
  return { body: responseText(reply, candidates, reply.usage, isOwn), losses };
}

function writeStream(options: WriteStreamOptions): ReplyWriter {
  return new StreamWriter(new ResponseForm(options, 0), options);
}

/** An error, in a body or in the middle of a stream. */
function errorBody({ status, message, retryAfterMs }: ServedError): JsonObject {
  const word = ERROR_STATUSES[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE');
  // Clients wait for as long as this says: they do not read the header.
  const wait = retryAfterMs === undefined ? [] : [{ '@type': RETRY_INFO, retryDelay: `${retryAfterMs / 1000}s` }];
  return { error: { code: status, message, status: word, ...(wait.length > 0 && { details: wait }) } };
}

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

const ERROR_STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  504: 'DEADLINE_EXCEEDED',
};

function candidateText({ message, stop }: Alternative, index: number, head: ReplyHead, losses: LossNote[]): string {
  const isOwn = message.origin.dialect === google.dialect;
  const content = isOwn ? message.raw : contentText(partTexts(message, head, losses));
  const word = JSON.stringify(stopWord(stop, isOwn, STOP_WORDS));
  return `{"content":${content},"finishReason":${word},"index":${index}}`;
}

function contentText(parts: readonly string[]): string {
  return `{${parts.length > 0 ? `"parts":[${parts.join(',')}],` : ''}"role":"model"}`;
}

function partTexts(message: Message, head: ReplyHead, losses: LossNote[]): string[] {
  const joints = new Joints(losses);
  return fitMessage(message, ABILITIES, head, losses).flatMap(({ block, index }) => {
    const between = joints.pass(block, index);
    const shown = between && 'text' in block && block.text !== '' ? { ...block, text: between + block.text } : block;
    return partsFor(shown, `content[${index}]`, head.reference?.(index), losses);
  });
}

/** Texts that stand side by side are read as one, and so are thoughts. */
class Joints {
  readonly #losses: LossNote[];
  #last: { readonly kind: string; readonly index: number } | undefined;

  constructor(losses: LossNote[]) {
    this.#losses = losses;
  }

  /** Goes on with a block; returns what separates it from the text before, where something between them was left out. */
  pass(block: Pick<ContentBlock, 'type'>, index: number): string {
    const kind = `${block.type}${'redacted' in block && block.redacted ? ' sealed' : ''}`;
    const isText = block.type === 'text' || block.type === 'reasoning';
    const isJoined = isText && this.#last?.kind === kind;
    const isNext = this.#last?.index === index - 1;
    if (isJoined) this.#losses.push(rewritten(`content[${index}]`, 'merged'));
    this.#last = { kind, index };
    return isJoined && !isNext && !kind.endsWith('sealed') ? '\n\n' : '';
  }
}

function partsFor(block: ContentBlock, path: string, reference: string | undefined, losses: LossNote[]): string[] {
  switch (block.type) {
    case 'text':
      return [`{"text":${JSON.stringify(block.text)}}`];
    case 'reasoning': {
      const signature = reference === undefined ? '' : `"thoughtSignature":${JSON.stringify(reference)}`;
      if (block.redacted) return [`{${signature}}`];
      return [`{"text":${JSON.stringify(block.text)},"thought":true${signature && `,${signature}`}}`];
    }
    case 'tool-use':
      return [callPart(block, path, losses)];
    case 'media':
      return [mediaPart(block)];
    default:
      block satisfies { type: 'refusal' | 'tool-result' | 'unknown' };
      return [];
  }
}

function callPart({ id, name, rawParameters }: ToolUseBlock, path: string, losses: LossNote[]): string {
  const args = toArguments(rawParameters, `${path}.parameters`, losses);
  const named = id === '' ? '' : `"id":${JSON.stringify(id)},`;
  return `{"functionCall":{${named}"name":${JSON.stringify(name)},"args":${args}}}`;
}

function mediaPart({ mediaType, source }: MediaBlock): string {
  if (source.kind === 'base64') return JSON.stringify({ inlineData: { mimeType: mediaType, data: source.data } });
  const uri = source.kind === 'url' ? source.url : source.id;
  return JSON.stringify({ fileData: { ...(!mediaType.endsWith('/*') && { mimeType: mediaType }), fileUri: uri } });
}

function responseText(
  { model, id }: ReplyHead,
  candidates: readonly string[],
  usage: Usage | undefined,
  isOwn: boolean,
): string {
  const members = [
    `"candidates":[${candidates.join(',')}]`,
    `"usageMetadata":${usageText(usage, isOwn)}`,
    `"modelVersion":${JSON.stringify(model)}`,
    `"responseId":${JSON.stringify(id)}`,
  ];
  return `{${members.join(',')}}`;
}

/** Cached tokens are in the prompt; thoughts are not in the candidates. */
function usageText(usage: Usage | undefined, isOwn: boolean): string {
  if (usage && isOwn) return usage.native;
  const { input = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, output = 0, reasoning = 0 } = usage ?? {};
  const prompt = input + cacheRead + cacheWrite5m + cacheWrite1h;
  return JSON.stringify({
    promptTokenCount: prompt,
    candidatesTokenCount: output,
    totalTokenCount: prompt + output + reasoning,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
  });
}

/** Each event is a whole response with one more part; the last one has the finish reason. */
class ResponseForm implements StreamForm {
  readonly dialect = google.dialect;
  readonly abilities = ABILITIES;
  /** Calls come whole. */
  readonly streamed: ReadonlySet<ContentBlock['type']> = new Set(['text', 'reasoning']);
  readonly #options: WriteStreamOptions;
  readonly #choice: number;
  readonly losses: LossNote[];
  readonly #list: { isBegun: boolean };
  readonly #joints: Joints;
  #usage: Usage | undefined;

  constructor(options: WriteStreamOptions, choice: number, losses: LossNote[] = [], list = { isBegun: false }) {
    this.losses = losses;
    this.#joints = new Joints(losses);
    this.#options = options;
    this.#choice = choice;
    this.#list = list;
  }

  choice(number: number): StreamForm {
    return new ResponseForm(this.#options, number, this.losses, this.#list);
  }

  begin(usage: Usage | undefined): string {
    this.#usage = usage;
    return '';
  }

  open(): string {
    return '';
  }

  piece({ kind, index, written }: OutgoingBlock, text: string): string {
    const between = written.length === text.length ? this.#joints.pass({ type: kind }, index) : '';
    return this.#chunk([`{"text":${JSON.stringify(between + text)}${kind === 'reasoning' ? ',"thought":true' : ''}}`]);
  }

  /** A signature comes behind the text that it belongs to, on an empty part. */
  close({ kind, index, written }: OutgoingBlock, _: ContentBlock | undefined, native: string | undefined): string {
    const thought = kind === 'reasoning' ? ',"thought":true' : '';
    const reference = kind === 'reasoning' ? this.#options.reference?.(index) : undefined;
    const signature = native === undefined ? reference && JSON.stringify(reference) : signatureIn(native);
    if (signature) return this.#chunk([`{"text":""${thought},"thoughtSignature":${signature}}`]);
    return written === '' ? this.#chunk([`{"text":""${thought}}`]) : '';
  }

  whole({ index }: OutgoingBlock, content: ContentBlock, native: string | undefined): string {
    this.#joints.pass(content, index);
    const reference = this.#options.reference?.(index);
    return this.#chunk(native ? elementTexts(native) : partsFor(content, `content[${index}]`, reference, this.losses));
  }

  end({ stop, usage }: ReplyContent, isOwn: boolean): string {
    this.#usage = usage ?? this.#usage;
    const last = this.#chunk(['{"text":""}'], stopWord(stop, isOwn, STOP_WORDS), isOwn);
    return this.#choice === 0 && this.#options.asList ? `${last}]` : last;
  }

  fail(error: ServedError): string {
    const text = this.#event(JSON.stringify(errorBody(error)));
    return this.#options.asList ? `${text}]` : text;
  }

  natives(message: Message): readonly (string | undefined)[] {
    return blockParts(message);
  }

  #chunk(parts: readonly string[], word?: string, isOwn = this.#options.dialect === google.dialect): string {
    const stop = word === undefined ? '' : `"finishReason":${JSON.stringify(word)},`;
    const candidate = `{"content":${contentText(parts)},${stop}"index":${this.#choice}}`;
    return this.#event(responseText(this.#options, [candidate], this.#usage, isOwn));
  }

  #event(json: string): string {
    if (!this.#options.asList) return writeSse(undefined, json);
    const before = this.#list.isBegun ? ',\n' : '[';
    this.#list.isBegun = true;
    return before + json;
  }
}

function signatureIn(parts: string): string | undefined {
  const given = elementTexts(parts).map((part) => fieldText(part, JSON.parse(part), 'thoughtSignature'));
  return given.findLast((text) => text !== undefined && text !== '""');
}

/** The parts of each block of a message, as the view joins them. */
function blockParts({ raw, origin }: Message): string[] {
  const calls: Call[] = [];
  const blocks: { readonly kind: unknown; readonly parts: string[] }[] = [];
  readContent(raw).parts.forEach(({ value, text }, index) => {
    const call = addCall(calls, index, value, text);
    const [block] = call ? [] : view(contentText([text]), origin).content;
    const isJoined = block?.type === 'text' || block?.type === 'reasoning';
    const kind = isJoined ? `${block.type} ${'redacted' in block && block.redacted}` : (call ?? block);
    const known = call ? blocks.find((one) => one.kind === call) : blocks.at(-1);
    if (known && known.kind === kind) known.parts.push(text);
    else blocks.push({ kind, parts: [text] });
  });
  return blocks.map(({ parts }) => `[${parts.join(',')}]`);
}

export const serve: DialectServer = {
  id: google.dialect,
  responseId: ({ responseId }) => responseId,
  errorBody,
  writeReply,
  writeStream,
  meaning,
  api: {
    ...servedAnswers,
    vendor: 'google',
    operations: [
      {
        operation: 'ask',
        method: 'POST',
        path: /^(?:\/v1\w*)?\/models\/(?<model>.+):generateContent$/,
        isStream: false,
      },
      {
        operation: 'ask',
        method: 'POST',
        path: /^(?:\/v1\w*)?\/models\/(?<model>.+):streamGenerateContent$/,
        isStream: true,
      },
      { operation: 'count', method: 'POST', path: /^(?:\/v1\w*)?\/models\/(?<model>.+):countTokens$/ },
      { operation: 'models', method: 'GET', path: /^(?:\/v1\w*)?\/models$/ },
      { operation: 'model', method: 'GET', path: /^(?:\/v1\w*)?\/models\/(?<model>[^:]+)$/ },
    ],
    makeId: (text) => text,
    modelPaths: [],
    closing: /"finishReason"/,
    streamsLists: true,
  },
};
