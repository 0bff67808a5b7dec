import { elementTexts, type JsonObject, textAt } from '../../json/index.ts';
import { blockText, type Citation, type ContentBlock, contentText, type Message } from '../../message/index.ts';
import { fitMessage, type ReplyAbilities } from '../fit-reply.ts';
import type { LossNote } from '../loss.ts';
import type { Stop, Usage } from '../reply.ts';
import { noteAlternatives, type OutgoingBlock, type StreamForm, StreamWriter } from '../reply-writer.ts';
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
import { skein } from './provider.ts';

/** Every block has a form here; only ciphertext and signatures stay behind. */
const ABILITIES: ReplyAbilities = {
  citations: () => true,
  refusals: true,
  customCalls: false,
  sealedReasoning: true,
  media: () => true,
  policies: skein.policies,
};

function writeReply(reply: ReplySource): WrittenReply {
  const losses: LossNote[] = [];
  const { message, stop, usage } = reply;
  const isOwn = message.origin.dialect === skein.dialect;
  const raw = isOwn ? message.raw : `{"role":"assistant","content":${foreignContent(reply, losses)}}`;
  noteAlternatives(reply, losses);
  return { body: `{${headMembers(reply)},"message":${raw},${endMembers(stop, usage)}}`, losses };
}

function writeStream(options: WriteStreamOptions): ReplyWriter {
  return new StreamWriter(new BlockForm(options), { ...options, reference: () => '' });
}

function errorBody({ code, message }: ServedError): JsonObject {
  return { error: { code, message } };
}

function headMembers({ id, model, created }: ReplyHead): string {
  return JSON.stringify({ id, model, created }).slice(1, -1);
}

function endMembers({ reason }: Stop, usage: Usage | undefined): string {
  if (!usage) return `"stop":"${reason}"`;
  const { native: _, ...counts } = usage;
  return `"stop":"${reason}","usage":${JSON.stringify(counts)}`;
}

function foreignContent(reply: ReplySource, losses: LossNote[]): string {
  const head = { ...reply, reference: () => '' };
  const blocks = fitMessage(reply.message, ABILITIES, head, losses);
  return contentText(blocks.map(({ block, index }) => toBlock(block, index, losses)));
}

/** A foreign block as it can be written: arguments are objects, and citations have their address where blocks have it. */
function toBlock(block: ContentBlock, index: number, losses: LossNote[]): ContentBlock {
  if (block.type === 'text') return block.citations ? { ...block, citations: block.citations.map(toCitation) } : block;
  if (block.type !== 'tool-use') return block;
  return { ...block, rawParameters: toArguments(block.rawParameters, `content[${index}].parameters`, losses) };
}

function toCitation({ url, title, quote, native }: Citation): Citation {
  return url === undefined ? { native } : { native: JSON.stringify({ url, title, quote }) };
}

/** Texts and thoughts come in pieces, other blocks whole. */
class BlockForm implements StreamForm {
  readonly dialect = skein.dialect;
  readonly abilities = ABILITIES;
  readonly losses: LossNote[] = [];
  readonly streamed: ReadonlySet<ContentBlock['type']> = new Set(['text', 'reasoning']);
  readonly #options: WriteStreamOptions;

  constructor(options: WriteStreamOptions) {
    this.#options = options;
  }

  begin(): string {
    return '';
  }

  open({ kind }: OutgoingBlock): string {
    const block = kind === 'text' ? { type: kind, text: '' } : { type: kind, text: '', redacted: false };
    return event({ type: 'start', block });
  }

  piece({ kind }: OutgoingBlock, text: string): string {
    return event({ type: kind, text });
  }

  close(_: OutgoingBlock, content: ContentBlock | undefined, native: string | undefined): string {
    const given = content?.type === 'text' ? content.citations : undefined;
    if (!given) return event({ type: 'end' });
    const citations = native === undefined ? given.map(toCitation) : given;
    return writeSse(undefined, `{"type":"end","citations":[${citations.map(({ native }) => native).join(',')}]}`);
  }

  whole({ index }: OutgoingBlock, content: ContentBlock, native: string | undefined): string {
    const text = native ?? blockText(toBlock(content, index, this.losses));
    return writeSse(undefined, `{"type":"block","block":${text}}`);
  }

  end({ stop, usage }: ReplyContent): string {
    return writeSse(undefined, `{"type":"finish",${headMembers(this.#options)},${endMembers(stop, usage)}}`);
  }

  fail(error: ServedError): string {
    return event({ type: 'error', ...errorBody(error) });
  }

  natives({ raw }: Message): readonly (string | undefined)[] {
    return elementTexts(textAt(raw, ['content'])!);
  }
}

function event(value: JsonObject): string {
  return writeSse(undefined, JSON.stringify(value));
}

export const serve: DialectServer = {
  id: skein.dialect,
  responseId: ({ id }) => id,
  errorBody,
  writeReply,
  writeStream,
};
