import { elementTexts, isObject, isText, type JsonObject, textAt } from '../../json/index.ts';
import type { Citation, ContentBlock, Message, ToolUseBlock } from '../../message/index.ts';
import { fitMessage, type ReplyAbilities } from '../fit-reply.ts';
import type { LossNote } from '../loss.ts';
import type { Stop, StopReason, Usage } from '../reply.ts';
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
import { writeSse } from '../sse.ts';
import { toArguments } from '../write/translate.ts';
import { DIALECT, googleInteractionsHome } from './provider.ts';
import { hasType, readSteps, turnText } from './steps.ts';
import { mediaContent } from './write-request.ts';

const ABILITIES: ReplyAbilities = {
  citations: ({ url }) => url !== undefined,
  refusals: false,
  customCalls: false,
  sealedReasoning: true,
  media: (block) => block.source.kind !== 'file' && mediaContent(block) !== undefined,
  policies: googleInteractionsHome.policies,
};

const STATUSES: Readonly<Partial<Record<StopReason, string>>> = {
  end: 'completed',
  'tool-use': 'requires_action',
  length: 'incomplete',
  cut: 'incomplete',
  filter: 'incomplete',
  pause: 'requires_continuation',
  error: 'failed',
};

/** The whole interaction: its steps are the message. */
function writeReply(reply: ReplySource): WrittenReply {
  const losses: LossNote[] = [];
  const { message, stop, usage } = reply;
  const isOwn = message.origin.dialect === DIALECT;
  const steps = isOwn ? readSteps(message.raw).steps.map(({ text }) => text) : stepTexts(reply, losses);
  noteAlternatives(reply, losses);
  const members = `${endMembers(reply, stop, usage, isOwn)},"steps":${turnText(steps)}`;
  return { body: interactionText(reply, members, isKept(reply) ? reply.id : undefined), losses };
}

function writeStream(options: WriteStreamOptions): ReplyWriter {
  return new StreamWriter(new StepForm(options), options);
}

/** What is not stored has no id: no member in a body, an empty text in a stream. */
function isKept({ request }: ReplyHead): boolean {
  return request?.store !== false;
}

function interactionText({ model }: ReplyHead, members: string, id: string | undefined): string {
  const named = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  return `{${named}${members},"object":"interaction","model":${JSON.stringify(model)}}`;
}

function endMembers({ created }: ReplyHead, stop: Stop, usage: Usage | undefined, isOwn: boolean): string {
  const time = `"${new Date(created * 1000).toISOString().slice(0, 19)}Z"`;
  const status = `"status":${JSON.stringify(stopWord(stop, isOwn, STATUSES))}`;
  return `${status},"usage":${usageText(usage, isOwn)},"created":${time},"updated":${time},"service_tier":"standard"`;
}

/** Cached tokens are in the input; thoughts are not in the output. */
function usageText(usage: Usage | undefined, isOwn: boolean): string {
  if (usage && isOwn) return usage.native;
  const { input = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, output = 0, reasoning = 0 } = usage ?? {};
  const all = input + cacheRead + cacheWrite5m + cacheWrite1h;
  return JSON.stringify({
    total_tokens: all + output + reasoning,
    total_input_tokens: all,
    input_tokens_by_modality: [{ modality: 'text', tokens: all }],
    total_cached_tokens: cacheRead,
    total_output_tokens: output,
    total_tool_use_tokens: 0,
    total_thought_tokens: reasoning,
  });
}

/** Texts and media that stand side by side are contents of one output; every other block is a step. */
function stepTexts(reply: ReplySource, losses: LossNote[]): string[] {
  const steps: string[] = [];
  let contents: string[] = [];
  const closeOutput = (): void => {
    if (contents.length > 0) steps.push(outputText(contents));
    contents = [];
  };
  for (const { block, index } of fitMessage(reply.message, ABILITIES, reply, losses)) {
    if (block.type === 'text' || block.type === 'media') contents.push(contentText(block));
    else {
      closeOutput();
      if (block.type === 'reasoning') steps.push(thoughtText(block.text, reply.reference?.(index)));
      if (block.type === 'tool-use') steps.push(callText(block, reply, index, losses));
    }
  }
  closeOutput();
  return steps;
}

function outputText(contents: readonly string[]): string {
  return `{"content":[${contents.join(',')}],"type":"model_output"}`;
}

function contentText(block: ContentBlock): string {
  if (block.type === 'media') return mediaContent(block) ?? '';
  const { text = '', citations = [] } = block.type === 'text' ? block : {};
  const annotations = citations.length > 0 ? `,"annotations":[${citations.map(annotationText).join(',')}]` : '';
  return `{"text":${JSON.stringify(text)}${annotations},"type":"text"}`;
}

function annotationText({ url, title }: Citation): string {
  return JSON.stringify({ url, ...(title && { title }), type: 'url_citation' });
}

function thoughtText(text: string, reference: string | undefined): string {
  const signature = reference === undefined ? '' : `"signature":${JSON.stringify(reference)},`;
  const summary = text === '' ? '' : `"summary":[{"text":${JSON.stringify(text)},"type":"text"}],`;
  return `{${signature}${summary}"type":"thought"}`;
}

type Call = Pick<ToolUseBlock, 'id' | 'name' | 'rawParameters'>;

function callText({ id, name, rawParameters }: Call, head: ReplyHead, index: number, losses: LossNote[]): string {
  const args = toArguments(rawParameters, `content[${index}].parameters`, losses);
  const known = { id: id || makeId(head, '', index, 8), type: 'function_call', name };
  return `${JSON.stringify(known).slice(0, -1)},"arguments":${args}}`;
}

/** Each step starts, is brought in pieces and stops; the interaction is created, in progress and at last complete. */
class StepForm implements StreamForm {
  readonly dialect = DIALECT;
  readonly abilities = ABILITIES;
  readonly losses: LossNote[] = [];
  readonly streamed: ReadonlySet<ContentBlock['type']> = new Set(['text', 'reasoning', 'tool-use']);
  readonly #options: WriteStreamOptions;
  readonly #id: string;
  #steps = 0;

  constructor(options: WriteStreamOptions) {
    this.#options = options;
    this.#id = isKept(options) ? options.id : '';
  }

  begin(): string {
    const interaction = interactionText(this.#options, '"status":"in_progress"', this.#id);
    const update = `"interaction_id":${JSON.stringify(this.#id)},"status":"in_progress"`;
    return (
      this.#event('interaction.created', `"interaction":${interaction}`) +
      this.#event('interaction.status_update', update)
    );
  }

  open({ kind, index, call }: OutgoingBlock): string {
    if (kind === 'tool-use') return this.#start(callText({ ...call!, rawParameters: '' }, this.#options, index, []));
    return this.#start(`{"type":"${kind === 'text' ? 'model_output' : 'thought'}"}`);
  }

  piece({ kind }: OutgoingBlock, text: string): string {
    const json = JSON.stringify(text);
    if (kind === 'tool-use') return this.#delta(`{"arguments":${json},"type":"arguments_delta"}`);
    const content = `{"text":${json},"type":"text"}`;
    return this.#delta(kind === 'text' ? content : `{"content":${content},"type":"thought_summary"}`);
  }

  close({ kind, index }: OutgoingBlock, content: ContentBlock | undefined, native: string | undefined): string {
    let text = '';
    if (kind === 'text') {
      const { citations = [] } = content?.type === 'text' ? content : {};
      const cited = citations.length > 0 ? `[${citations.map(annotationText).join(',')}]` : undefined;
      const annotations = native === undefined ? cited : textAt(native, ['annotations']);
      if (annotations) text = this.#delta(`{"annotations":${annotations},"type":"text_annotation_delta"}`);
    }
    if (kind === 'reasoning') {
      const reference = this.#options.reference?.(index);
      const signature = native === undefined ? reference && JSON.stringify(reference) : textAt(native, ['signature']);
      if (signature) text = this.#delta(`{"signature":${signature},"type":"thought_signature"}`);
    }
    return text + this.#stop();
  }

  whole({ index }: OutgoingBlock, content: ContentBlock, native: string | undefined): string {
    if (content.type === 'media')
      return this.#start('{"type":"model_output"}') + this.#delta(native ?? contentText(content)) + this.#stop();
    const thought = content.type === 'reasoning' ? thoughtText(content.text, this.#options.reference?.(index)) : '';
    return this.#start(native ?? thought) + this.#stop();
  }

  end({ stop, usage }: ReplyContent, isOwn: boolean): string {
    const members = endMembers(this.#options, stop, usage, isOwn);
    const interaction = interactionText(this.#options, members, this.#id);
    return this.#event('interaction.completed', `"interaction":${interaction}`) + writeSse('done', '[DONE]');
  }

  fail(error: ServedError): string {
    return this.#event('error', JSON.stringify(errorBody(error)).slice(1, -1));
  }

  /** The contents of an output are blocks, every other step is one. */
  natives({ raw }: Message): readonly (string | undefined)[] {
    return readSteps(raw).steps.flatMap(({ text, value }) => {
      const contents = hasType(value, 'model_output') && value.error === undefined ? textAt(text, ['content']) : '';
      return contents === '' ? [text] : contents?.startsWith('[') ? elementTexts(contents) : [];
    });
  }

  #start(step: string): string {
    return this.#event('step.start', `"index":${this.#steps},"step":${step}`);
  }

  #delta(delta: string): string {
    return this.#event('step.delta', `"index":${this.#steps},"delta":${delta}`);
  }

  #stop(): string {
    return this.#event('step.stop', `"index":${this.#steps++}`);
  }

  #event(type: string, members: string): string {
    return writeSse(type, `{${members},"event_type":"${type}"}`);
  }
}

/** Errors of this API have words for codes, and no status in the body. */
function errorBody({ status, message }: ServedError): JsonObject {
  return { error: { message, code: CODES[status] ?? (status < 500 ? 'invalid_request' : 'api_error') } };
}

const CODES: Readonly<Record<number, string>> = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'conflict',
  429: 'too_many_requests',
  503: 'service_unavailable',
  504: 'deadline_exceeded',
};

const meaning: RequestMeaning = {
  params: {},
  members: {
    'generation_config.thinking_summaries': {
      setting: 'thoughts',
      words: [
        ['auto', 'shown'],
        ['none', 'hidden'],
      ],
      otherwise: 'reported',
    },
    service_tier: {
      setting: 'service-tier',
      words: [
        ['standard', 'standard'],
        ['flex', 'flex'],
        ['priority', 'priority'],
      ],
      otherwise: 'reported',
    },
  },
  reasoning: () => ({ efforts: ['minimal', 'low', 'medium', 'high'], takesBudget: false }),
  stops: () => ({ most: 5 }),
  jsonObject: { response_format: { type: 'text', mime_type: 'application/json' } },
  writeServerTool(kind) {
    if (kind === 'web-search') return { type: 'google_search' };
    if (kind === 'web-fetch') return { type: 'url_context' };
    return kind === 'code-execution' ? { type: 'code_execution' } : undefined;
  },
};

export const serve: DialectServer = {
  id: DIALECT,
  // What is not stored has an empty id in streams.
  responseId: ({ id, interaction, interaction_id: named }) => {
    const given = isObject(interaction) ? interaction.id : (named ?? id);
    return isText(given) ? given : undefined;
  },
  kept: {
    anchors: ['previous_interaction_id'],
    previous: ({ previous_interaction_id: response }) => ({ response, conversation: undefined }),
    refersTo: () => undefined,
    isPending: ({ status }) => status === 'queued' || status === 'in_progress',
  },
  errorBody,
  writeReply,
  writeStream,
  meaning,
};
