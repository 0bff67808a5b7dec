import { type BlockEvent, bedrockConverse, cohereChat, googleInteractions, serving } from '../../src/dialect.ts';
import type { LossNote } from '../../src/dialects/loss.ts';
import { type ContentBlock, decodeSse, dialect, type Reply } from '../../src/index.ts';

export const TARGETS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-generatecontent',
  googleInteractions.id,
  bedrockConverse.id,
  cohereChat.id,
  'blocks',
];

export const HEAD = { id: 'resp_1', model: 'm-1', created: 1_700_000_000 };

export interface ReadBack {
  readonly reply: Reply;
  readonly losses: readonly LossNote[];
  readonly text: string;
}

/** A reply as a whole response of a dialect, and what that dialect reads in it. */
export function asWhole(target: string, reply: Reply, head: object = HEAD): ReadBack {
  const { body, losses } = serving(dialect(target)).writeReply!({ ...HEAD, ...head, ...reply });
  return { reply: dialect(target).readResponse(body), losses, text: body };
}

/** A reply as a stream of a dialect, written from its events or, without any, from the reply alone. */
export function asStream(target: string, reply: Reply, events: readonly BlockEvent[], head: object = HEAD): ReadBack {
  const from = events.length > 0 ? { dialect: reply.message.origin.dialect } : {};
  const writer = serving(dialect(target)).writeStream!({ ...HEAD, ...head, ...from });
  const text = events.map((event) => writer.push(event)).join('') + writer.finish(reply);
  return { reply: readChunks(target, [toBytes(target, text)]), losses: writer.losses, text };
}

/** A stream as it is sent: a text, or one byte for each character. */
export function toBytes(target: string, text: string): Uint8Array {
  return Buffer.from(text, dialect(target).framing?.isBinary ? 'latin1' : 'utf8');
}

/** Reads a stream in the framing of its dialect. */
export function readChunks(target: string, chunks: readonly Uint8Array[]): Reply {
  const reader = dialect(target).readStream();
  const onEvent = (event: string | undefined, data: string): void => void reader.push(event, data);
  const decoder = dialect(target).framing?.split(onEvent) ?? decodeSse(onEvent);
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return reader.finish();
}

interface Shown {
  readonly type: string;
  [member: string]: unknown;
}

/** Blocks as they can be compared. Texts without a word are nothing, and what is not an object is no argument. */
function shown(content: readonly ContentBlock[]): Shown[] {
  return content.flatMap((block): Shown[] => {
    switch (block.type) {
      case 'text':
        return block.text === ''
          ? []
          : [{ type: block.type, text: block.text, citations: (block.citations ?? []).map(({ url }) => url) }];
      case 'reasoning':
        return block.text === '' && !block.redacted ? [] : [{ ...block }];
      case 'tool-use': {
        const { id, name, parameters, form } = block;
        return [{ type: block.type, id: id === '' || id.startsWith('skn_') ? 'made' : id, name, parameters, form }];
      }
      case 'unknown':
        return [{ type: block.type, native: JSON.parse(block.native) }];
      default:
        return [{ ...block }];
    }
  });
}

/** What is left of blocks after what the losses name. */
function withLosses(content: readonly ContentBlock[], losses: readonly LossNote[]): Shown[] {
  const left = content.flatMap((block, at): ContentBlock[] => {
    const notes = losses.filter(({ path }) => path === `content[${at}]` || path.startsWith(`content[${at}].`));
    const has = (reason: string, kind?: string) =>
      notes.some((note) => note.reason === reason && (kind === undefined || note.kind === kind));
    if (notes.some(({ kind, path }) => kind === 'dropped' && path === `content[${at}]`)) return [];
    if (block.type === 'refusal' && has('refusal')) return [{ type: 'text', text: block.text }];
    if (block.type === 'text') {
      const isGone = (at: number) =>
        notes.some((note) => note.kind === 'dropped' && note.path.endsWith(`.citations[${at}]`));
      const citations = block.citations?.filter((_, at) => !isGone(at));
      return [{ type: 'text', text: block.text, ...(citations && { citations }) }];
    }
    if (block.type === 'tool-use') {
      const { form, ...plain } = block;
      const parameters = has('malformed-arguments') ? { _malformed_arguments: block.rawParameters } : block.parameters;
      return [{ ...plain, ...(form && !has('unknown-field') && { form }), parameters }];
    }
    return [block];
  });
  return shown(left);
}

/** The texts of each kind joined, and everything else in its order: what merging and reordering leave as it was. */
function joined(blocks: readonly Shown[]): unknown {
  const texts = new Map<string, string>();
  const cited = blocks.flatMap(({ citations }) => (Array.isArray(citations) ? citations : []));
  for (const { type, text } of blocks)
    if (typeof text === 'string' && text !== '') texts.set(type, (texts.get(type) ?? '') + text.replaceAll('\n', ''));
  const others = blocks
    .filter(({ text }) => typeof text !== 'string')
    .map((block) => JSON.stringify(block))
    .sort();
  return { texts: [...texts].sort(([a], [b]) => (a < b ? -1 : 1)), cited, others };
}

export function difference(reply: Reply, read: ReadBack): string | undefined {
  const isLoose = read.losses.some(({ reason }) => reason === 'merged' || reason === 'reordered');
  const wanted = withLosses(reply.message.content, read.losses);
  const found = shown(read.reply.message.content);
  if (read.losses.some(({ reason }) => reason === 'tool-id'))
    for (const blocks of [wanted, found]) for (const block of blocks) if (block.type === 'tool-use') delete block.id;
  const [a, b] = [found, wanted].map((blocks) => JSON.stringify(isLoose ? joined(blocks) : blocks));
  if (a === b) return undefined;
  const at = Math.max(0, [...a!].findIndex((_, index) => a![index] !== b![index]) - 60);
  const [found1, wanted1] = [a!, b!].map((text) => text.slice(at, at + 160));
  return `${found1} is not ${wanted1} (${JSON.stringify(read.losses).slice(0, 200)})`;
}
