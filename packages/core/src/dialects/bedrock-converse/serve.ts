import { elementTexts, findMembers, type JsonObject, textAt } from '../../json/index.ts';
import type { Citation, ContentBlock, MediaBlock, Message } from '../../message/index.ts';
import { readScale } from '../anthropic-messages/request-meaning.ts';
import { fitMessage, type ReplyAbilities } from '../fit-reply.ts';
import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
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
  ReplyHead,
  ReplySource,
  ReplyWriter,
  ServedError,
  WriteStreamOptions,
  WrittenReply,
} from '../serve.ts';
import { toArguments } from '../write/translate.ts';
import { writeFrame } from './event-stream.ts';
import { bedrock, DIALECT } from './provider.ts';
import { mediaFormat } from './read-response.ts';

const ABILITIES: ReplyAbilities = {
  citations: ({ url }) => url !== undefined,
  refusals: false,
  customCalls: false,
  sealedReasoning: true,
  media: ({ mediaType, source }) => mediaType.startsWith('image/') && source.kind === 'base64',
  policies: bedrock.policies,
};

const STOP_WORDS: Readonly<Partial<Record<StopReason, string>>> = {
  end: 'end_turn',
  'tool-use': 'tool_use',
  length: 'max_tokens',
  cut: 'max_tokens',
  'stop-sequence': 'stop_sequence',
  refusal: 'content_filtered',
  filter: 'content_filtered',
};

/** The whole response: the message is `output.message`. */
function writeReply(reply: ReplySource): WrittenReply {
  const losses: LossNote[] = [];
  const { message, stop, usage } = reply;
  const isOwn = message.origin.dialect === DIALECT;
  const written = isOwn ? message.raw : `{"role":"assistant","content":[${contentTexts(reply, losses).join(',')}]}`;
  noteAlternatives(reply, losses);
  const members = [
    `"output":{"message":${written}}`,
    `"stopReason":${JSON.stringify(stopWord(stop, isOwn, STOP_WORDS))}`,
    `"usage":${usageText(usage, isOwn)}`,
    METRICS,
  ];
  return { body: `{${members.join(',')}}`, losses };
}

const METRICS = '"metrics":{"latencyMs":0}';

function writeStream(options: WriteStreamOptions): ReplyWriter {
  return new StreamWriter(new FrameForm(options), options);
}

/** SDKs take the class of an error from a header, or else from `__type`. */
function errorBody({ status, message }: ServedError): JsonObject {
  return { __type: ERROR_TYPES[status] ?? (status < 500 ? 'ValidationException' : 'InternalServerException'), message };
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'AccessDeniedException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};

function contentTexts(reply: ReplySource, losses: LossNote[]): string[] {
  return fitMessage(reply.message, ABILITIES, reply, losses).map(({ block, index }) => {
    switch (block.type) {
      case 'text':
        return block.citations ? citedText(block.text, block.citations) : `{"text":${JSON.stringify(block.text)}}`;
      case 'reasoning':
        return reasoningText(block.text, block.redacted, reply, index);
      case 'tool-use': {
        const id = JSON.stringify(block.id || makeId(reply, 'tooluse_', index));
        const input = toArguments(block.rawParameters, `content[${index}].parameters`, losses);
        return `{"toolUse":{"toolUseId":${id},"name":${JSON.stringify(block.name)},"input":${input}}}`;
      }
      case 'media':
        return imageText(block);
      default:
        block satisfies { type: 'refusal' | 'tool-result' | 'unknown' };
        return '';
    }
  });
}

/** Ciphertexts are bytes, and so are written as base64 of what they are. */
function reasoningText(text: string, isRedacted: boolean, { reference }: ReplyHead, index: number): string {
  const proof = reference?.(index);
  if (isRedacted) return `{"reasoningContent":{"redactedContent":${JSON.stringify(proof ?? '')}}}`;
  const signature = proof === undefined ? '' : `,"signature":${JSON.stringify(proof)}`;
  return `{"reasoningContent":{"reasoningText":{"text":${JSON.stringify(text)}${signature}}}}`;
}

function citedText(text: string, citations: readonly Citation[]): string {
  const all = citations.map(citationText).join(',');
  return `{"citationsContent":{"content":[{"text":${JSON.stringify(text)}}],"citations":[${all}]}}`;
}

function citationText({ url, title, quote }: Citation): string {
  return JSON.stringify({
    ...(title !== undefined && { title }),
    ...(quote !== undefined && { sourceContent: [{ text: quote }] }),
    location: { web: { url } },
  });
}

function imageText({ mediaType, source }: MediaBlock): string {
  const bytes = source.kind === 'base64' ? source.data : '';
  return JSON.stringify({ image: { format: mediaFormat(mediaType)?.format, source: { bytes } } });
}

/** Tokens that were read from or written to the cache are not in `inputTokens`; thoughts are in `outputTokens`. */
function usageText(usage: Usage | undefined, isOwn: boolean): string {
  if (isOwn && usage) return usage.native;
  const { input = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, output = 0, reasoning = 0 } = usage ?? {};
  const written = cacheWrite5m + cacheWrite1h;
  return JSON.stringify({
    inputTokens: input,
    outputTokens: output + reasoning,
    totalTokens: input + cacheRead + written + output + reasoning,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: written,
  });
}

/** `messageStart`; for each block its deltas and its stop, calls with a start; `messageStop` and `metadata`. */
class FrameForm implements StreamForm {
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

  begin(): string {
    return writeFrame('messageStart', '{"role":"assistant"}');
  }

  open({ kind, call }: OutgoingBlock): string {
    this.#index += 1;
    if (kind !== 'tool-use') return '';
    return this.#start(`{"toolUse":{"toolUseId":${JSON.stringify(call?.id)},"name":${JSON.stringify(call?.name)}}}`);
  }

  piece({ kind }: OutgoingBlock, text: string): string {
    const json = JSON.stringify(text);
    if (kind === 'tool-use') return this.#delta(`{"toolUse":{"input":${json}}}`);
    return this.#delta(kind === 'reasoning' ? `{"reasoningContent":{"text":${json}}}` : `{"text":${json}}`);
  }

  close({ kind, index }: OutgoingBlock, content: ContentBlock | undefined, native: string | undefined): string {
    let last = '';
    if (kind === 'reasoning') {
      const reference = this.#options.reference?.(index);
      const signature =
        native === undefined
          ? reference && JSON.stringify(reference)
          : textAt(native, ['reasoningContent', 'reasoningText', 'signature']);
      if (signature) last = this.#delta(`{"reasoningContent":{"signature":${signature}}}`);
    } else if (content?.type === 'text')
      for (const citation of content.citations ?? [])
        last += this.#delta(`{"citation":${native === undefined ? citationText(citation) : citation.native}}`);
    return last + this.#stop();
  }

  /** A block without pieces. One of this API comes as a start, or as a delta where its kind has none. */
  whole({ index }: OutgoingBlock, content: ContentBlock, native: string | undefined): string {
    this.#index += 1;
    if (native === undefined) {
      if (content.type === 'media') return this.#delta(imageText(content)) + this.#stop();
      const proof = JSON.stringify(this.#options.reference?.(index) ?? '');
      return this.#delta(`{"reasoningContent":{"redactedContent":${proof}}}`) + this.#stop();
    }
    const [kind] = findMembers(native);
    const input = textAt(native, ['toolUse', 'input']);
    if (input !== undefined)
      return this.#start(native) + this.#delta(`{"toolUse":{"input":${JSON.stringify(input)}}}`) + this.#stop();
    const isDelta = kind?.name === 'reasoningContent';
    return (isDelta ? this.#delta(native) : this.#start(native)) + this.#stop();
  }

  end({ stop, usage }: ReplyContent, isOwn: boolean): string {
    const word = JSON.stringify(stopWord(stop, isOwn, STOP_WORDS));
    return (
      writeFrame('messageStop', `{"stopReason":${word}}`) +
      writeFrame('metadata', `{"usage":${usageText(usage, isOwn)},${METRICS}}`)
    );
  }

  fail(error: ServedError): string {
    const { __type: type, message } = errorBody(error);
    const word = String(type);
    return writeFrame(word[0]!.toLowerCase() + word.slice(1), JSON.stringify({ message }), 'exception');
  }

  natives({ raw }: Message): readonly (string | undefined)[] {
    const content = textAt(raw, ['content']) ?? '[]';
    return elementTexts(content);
  }

  #start(start: string): string {
    return writeFrame('contentBlockStart', `{"start":${start},"contentBlockIndex":${this.#index}}`);
  }

  #delta(delta: string): string {
    return writeFrame('contentBlockDelta', `{"delta":${delta},"contentBlockIndex":${this.#index}}`);
  }

  #stop(): string {
    return writeFrame('contentBlockStop', `{"contentBlockIndex":${this.#index}}`);
  }
}

const meaning: RequestMeaning = {
  params: {},
  members: {
    'serviceTier.type': {
      setting: 'service-tier',
      words: [
        ['default', 'standard'],
        ['flex', 'flex'],
        ['priority', 'priority'],
      ],
      otherwise: 'reported',
    },
    requestMetadata: { setting: 'labels', otherwise: 'reported' },
  },
  // Each maker of models has its own way to reason.
  reasoning(target) {
    const { reasoning = { default: false } } = target.provider.policies.quirks;
    const way = forModel(reasoning, target.model);
    if (way === 'thinking') return readScale(target);
    return { efforts: way === false ? [] : ['low', 'medium', 'high'], takesBudget: false };
  },
  stops: () => ({ most: 4 }),
  needsCacheMarkers: ({ model }) => /claude|amazon\.nova/.test(model),
};

export const serve: DialectServer = {
  id: DIALECT,
  // Neither responses nor their events have an id.
  responseId: () => undefined,
  errorBody,
  writeReply,
  writeStream,
  meaning,
};
