import { findMembers, isObject, textAt } from '../../json/index.ts';
import type { Citation, ContentBlock, MediaBlock, Message, ToolUseBlock } from '../../message/index.ts';
import { cutAround, PLACE } from '../delta-run.ts';
import { fitMessage, type ReplyAbilities } from '../fit-reply.ts';
import { type LossNote, rewritten } from '../loss.ts';
import { openaiAnswers, openaiErrorBody } from '../openai-answers.ts';
import type { Alternative, StopReason, Usage } from '../reply.ts';
import { makeId, type OutgoingBlock, type StreamForm, StreamWriter, stopWord } from '../reply-writer.ts';
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
import { areArguments, toDataUrl } from '../write/translate.ts';
import { DIALECT, openaiChatHome } from './provider.ts';
import { meaning } from './request-meaning.ts';

const ABILITIES: ReplyAbilities = {
  citations: ({ url }) => url !== undefined,
  refusals: true,
  customCalls: true,
  sealedReasoning: false,
  media: ({ mediaType, source }) => mediaType.startsWith('image/') && source.kind !== 'file',
  policies: openaiChatHome.policies,
};

/** A refusal is told by the message, not by the word. */
const STOP_WORDS: Readonly<Partial<Record<StopReason, string>>> = {
  end: 'stop',
  'tool-use': 'tool_calls',
  length: 'length',
  cut: 'length',
  filter: 'content_filter',
};

/** The whole response: each choice has a message. */
function writeReply(reply: ReplySource): WrittenReply {
  const losses: LossNote[] = [];
  const isOwn = reply.message.origin.dialect === DIALECT;
  const choices = [reply, ...(reply.alternatives ?? [])].map((choice, index) =>
    choiceText(choice, index, reply, losses),
  );
  const usage = usageText(reply.usage, isOwn);
  const members = [headMembers(reply, 'chat.completion'), `"choices":[${choices.join(',')}]`];
  return { body: `{${members.join(',')}${usage === undefined ? '' : `,"usage":${usage}`}}`, losses };
}

function writeStream(options: WriteStreamOptions): ReplyWriter {
  return new StreamWriter(new ChunkForm(options, 0), options);
}

function headMembers({ id, model, created }: ReplyHead, object: string): string {
  const head = { id, object, created, model, service_tier: 'default', system_fingerprint: null };
  return JSON.stringify(head).slice(1, -1);
}

function choiceText({ message, stop }: Alternative, index: number, head: ReplyHead, losses: LossNote[]): string {
  const isOwn = message.origin.dialect === DIALECT;
  const text = isOwn ? message.raw : messageText(message, head, losses);
  const word = JSON.stringify(stopWord(stop, isOwn, STOP_WORDS));
  return `{"index":${index},"message":${text},"logprobs":null,"finish_reason":${word}}`;
}

/** The members that blocks become. Several texts become one string, calls stand behind all else. */
function messageText(message: Message, head: ReplyHead, losses: LossNote[]): string {
  const blocks = fitMessage(message, ABILITIES, head, losses);
  const texts = new JoinedTexts();
  const images: string[] = [];
  const annotations: string[] = [];
  const calls: string[] = [];
  for (const { block, index, tool } of blocks) {
    if (block.type === 'text' || block.type === 'reasoning' || block.type === 'refusal') {
      texts.add(block.type, index, block.text, losses);
      if (block.type === 'text') annotations.push(...(block.citations ?? []).map(annotationText));
    } else if (block.type === 'tool-use')
      calls.push(callText(block, block.id || makeId(head, 'call_', index), tool?.form));
    else if (block.type === 'media') images.push(imageText(block));
    else block satisfies { type: 'tool-result' | 'unknown' };
    texts.pass(block.type, index, losses);
  }
  const members = [
    '"role":"assistant"',
    `"content":${texts.json('text') ?? 'null'}`,
    texts.json('reasoning') && `"reasoning_content":${texts.json('reasoning')}`,
    calls.length > 0 && `"tool_calls":[${calls.join(',')}]`,
    `"refusal":${texts.json('refusal') ?? 'null'}`,
    images.length > 0 && `"images":[${images.join(',')}]`,
    `"annotations":[${annotations.join(',')}]`,
  ];
  return `{${members.filter(Boolean).join(',')}}`;
}

/** The order in which a message is read. */
const ORDER: readonly ContentBlock['type'][] = ['reasoning', 'text', 'media', 'refusal', 'tool-use'];

/**
 * Texts of one kind become one string: what stands side by side is one text that was cut, such as where sources begin and
 * end; anything else is apart.
 */
class JoinedTexts {
  readonly #texts = new Map<ContentBlock['type'], string>();
  /** The block that was written last. */
  #last: { readonly kind: ContentBlock['type']; readonly index: number } | undefined;
  #isReordered = false;

  /** What is written of a text: itself, and what separates it from the one before. */
  add(kind: ContentBlock['type'], index: number, text: string, losses: LossNote[]): string {
    const before = this.#texts.get(kind);
    if (text === '' && before !== undefined) return '';
    const isNext = this.#last?.kind === kind && this.#last.index === index - 1;
    const added = before === undefined || isNext ? text : `\n\n${text}`;
    if (before !== undefined) losses.push(rewritten(`content[${index}]`, 'merged'));
    this.#texts.set(kind, (before ?? '') + added);
    return added;
  }

  /** Goes on behind a block. Notes one that the message does not show behind the one before it. */
  pass(kind: ContentBlock['type'], index: number, losses: LossNote[]): void {
    if (this.#last && ORDER.indexOf(kind) < ORDER.indexOf(this.#last.kind) && !this.#isReordered) {
      losses.push(rewritten(`content[${index}]`, 'reordered'));
      this.#isReordered = true;
    }
    this.#last = { kind, index };
  }

  json(kind: ContentBlock['type']): string | undefined {
    const text = this.#texts.get(kind);
    return text === undefined ? undefined : JSON.stringify(text);
  }
}

function callText(block: ToolUseBlock, id: string, form: string | undefined = block.form, index?: number): string {
  const { name, rawParameters } = block;
  const place = index === undefined ? '' : `"index":${index},`;
  const named = `"name":${JSON.stringify(name)}`;
  const input = form && areArguments(rawParameters) ? textAt(rawParameters, ['input']) : undefined;
  const text = input?.startsWith('"') ? input : JSON.stringify(input ?? rawParameters);
  const called = form
    ? `"type":"custom","custom":{${named},"input":${text}}`
    : `"type":"function","function":{${named},"arguments":${JSON.stringify(rawParameters)}}`;
  return `{${place}"id":${JSON.stringify(id)},${called}}`;
}

function annotationText({ url, title }: Citation): string {
  const cited = { start_index: 0, end_index: 0, url, title: title ?? '' };
  return JSON.stringify({ type: 'url_citation', url_citation: cited });
}

/** As routers send the images that a model made. */
function imageText({ source, mediaType }: MediaBlock): string {
  const url = source.kind === 'url' ? source.url : source.kind === 'base64' ? toDataUrl(mediaType, source.data) : '';
  return JSON.stringify({ type: 'image_url', image_url: { url } });
}

/** Cached tokens are in the prompt, thoughts in the completion. */
function usageText(usage: Usage | undefined, isOwn: boolean): string | undefined {
  if (!usage || isOwn) return usage?.native;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  const written = cacheWrite5m + cacheWrite1h;
  const prompt = input + cacheRead + written;
  const completion = output + reasoning;
  return JSON.stringify({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: cacheRead,
      audio_tokens: 0,
      ...(written > 0 && { cache_write_tokens: written }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  });
}

const MEMBERS: Readonly<Partial<Record<ContentBlock['type'], string>>> = {
  text: 'content',
  reasoning: 'reasoning_content',
  refusal: 'refusal',
};

/** Members that the deltas of blocks bring. */
const WRITTEN: ReadonlySet<string> = new Set(
  'role content refusal reasoning_content reasoning tool_calls function_call images annotations'.split(' '),
);

/** Chunks with a delta each; the one with the finish reason; the usage, where it is asked for; `[DONE]`. */
class ChunkForm implements StreamForm {
  readonly dialect = DIALECT;
  readonly abilities = ABILITIES;
  readonly losses: LossNote[];
  readonly streamed: ReadonlySet<ContentBlock['type']> = new Set(['text', 'reasoning', 'refusal', 'tool-use']);
  readonly #options: WriteStreamOptions;
  readonly #choice: number;
  readonly #head: string;
  readonly #asksUsage: boolean;
  readonly #texts = new JoinedTexts();
  /** The number of each call by the number of its block. */
  readonly #calls = new Map<number, number>();

  constructor(options: WriteStreamOptions, choice: number, losses: LossNote[] = []) {
    this.losses = losses;
    this.#options = options;
    this.#choice = choice;
    this.#head = headMembers(options, 'chat.completion.chunk');
    const { stream_options: asked } = options.request ?? {};
    this.#asksUsage = options.request === undefined || (isObject(asked) && asked.include_usage === true);
  }

  choice(number: number): StreamForm {
    return new ChunkForm(this.#options, number, this.losses);
  }

  begin(): string {
    return this.#chunk('{"role":"assistant","content":"","refusal":null}');
  }

  open({ kind, call, index }: OutgoingBlock): string {
    if (!call) return '';
    this.#texts.pass(kind, index, this.losses);
    const at = this.#numberOf(index);
    const named = `"id":${JSON.stringify(call.id)},"type":"function","function":{"name":${JSON.stringify(call.name)},"arguments":""}`;
    return this.#chunk(`{"tool_calls":[{"index":${at},${named}}]}`);
  }

  piece({ kind, index, written }: OutgoingBlock, text: string): string {
    const json = JSON.stringify(text);
    if (kind === 'tool-use')
      return this.#chunk(`{"tool_calls":[{"index":${this.#numberOf(index)},"function":{"arguments":${json}}}]}`);
    const isFirst = written.length === text.length;
    const added = isFirst ? JSON.stringify(this.#texts.add(kind, index, text, this.losses)) : json;
    if (isFirst) this.#texts.pass(kind, index, this.losses);
    return this.#chunk(`{"${MEMBERS[kind]}":${added}}`);
  }

  frame({ kind }: OutgoingBlock): readonly [string, string] {
    return cutAround(this.#chunk(`{"${MEMBERS[kind]}":"${PLACE}"}`));
  }

  close(_: OutgoingBlock, content: ContentBlock | undefined): string {
    return this.amend(_, content);
  }

  amend(_: OutgoingBlock, content: ContentBlock | undefined): string {
    if (content?.type !== 'text' || !content.citations?.length) return '';
    return this.#chunk(`{"annotations":[${content.citations.map(annotationText).join(',')}]}`);
  }

  whole({ index, kind, tool }: OutgoingBlock, content: ContentBlock): string {
    this.#texts.pass(kind, index, this.losses);
    if (content.type === 'media') return this.#chunk(`{"images":[${imageText(content)}]}`);
    if (content.type !== 'tool-use') return '';
    const id = content.id || makeId(this.#options, 'call_', index);
    return this.#chunk(`{"tool_calls":[${callText(content, id, content.form ?? tool?.form, this.#numberOf(index))}]}`);
  }

  end({ message, stop, usage }: ReplyContent, isOwn: boolean): string {
    const rest = message.origin.dialect === DIALECT ? this.#rest(message) : '';
    const word = stopWord(stop, isOwn, STOP_WORDS);
    const last = rest + this.#chunk('{}', word);
    if (this.#choice > 0) return last;
    const counts = this.#asksUsage ? usageText(usage, isOwn) : undefined;
    const counted = counts === undefined ? '' : writeSse(undefined, `{${this.#head},"choices":[],"usage":${counts}}`);
    return `${last}${counted}${writeSse(undefined, '[DONE]')}`;
  }

  fail(error: ServedError): string {
    return writeSse(undefined, JSON.stringify(openaiErrorBody(error)));
  }

  natives(): readonly (string | undefined)[] {
    return [];
  }

  /** What a message of this dialect says beside its blocks, such as sealed reasoning. */
  #rest({ raw }: Message): string {
    const members = findMembers(raw).filter(({ name }) => !WRITTEN.has(name));
    const texts = members.map(({ name, start, end }) => `${JSON.stringify(name)}:${raw.slice(start, end)}`);
    return texts.length > 0 ? this.#chunk(`{${texts.join(',')}}`) : '';
  }

  #numberOf(index: number): number {
    const known = this.#calls.get(index);
    if (known !== undefined) return known;
    this.#calls.set(index, this.#calls.size);
    return this.#calls.size - 1;
  }

  #chunk(delta: string, word?: string): string {
    const choice = `{"index":${this.#choice},"delta":${delta},"logprobs":null,"finish_reason":${word === undefined ? 'null' : JSON.stringify(word)}}`;
    const usage = this.#asksUsage ? ',"usage":null' : '';
    return writeSse(undefined, `{${this.#head},"choices":[${choice}]${usage}}`);
  }
}

export const serve: DialectServer = {
  id: DIALECT,
  responseId: ({ id }) => id,
  errorBody: openaiErrorBody,
  writeReply,
  writeStream,
  meaning,
  api: {
    ...openaiAnswers('messages'),
    vendor: 'openai',
    operations: [
      { operation: 'ask', method: 'POST', path: /^(?:\/v1)?\/chat\/completions$/ },
      { operation: 'models', method: 'GET', path: /^(?:\/v1)?\/models$/ },
      { operation: 'model', method: 'GET', path: /^(?:\/v1)?\/models\/(?<model>.+)$/ },
    ],
    makeId: (text) => `chatcmpl-${text}`,
    modelPaths: [['model']],
    closing: /^\[DONE\]$/,
  },
};
