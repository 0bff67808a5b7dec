import type {
  ContentBlock,
  Message,
  Origin,
  ReasoningBlock,
  RefusalBlock,
  TextBlock,
  ToolUseBlock,
} from '../message/index.ts';
import { cutRun, type DeltaRun, joinRun, readRun, tellRun } from './delta-run.ts';
import type { Dialect } from './dialect.ts';
import type { Reply, Stop, Usage } from './reply.ts';
import { cutSse, portions } from './sse.ts';
import type { StreamEvent, StreamReader } from './stream.ts';
import { areArguments } from './write/translate.ts';

/**
 * What a stream says block by block. A reply can be written from these events alone: its content is the blocks of the
 * `block-end` events, in the order in which they end; a later end of the same block replaces an earlier one.
 */
export type BlockEvent =
  /** A block begins. Blocks are numbered from 0, in the order in which they begin; all events of a block have its `index`. */
  | { readonly type: 'block-start'; readonly index: number; readonly kind: ContentBlock['type'] }
  /** The next piece of a block's text. */
  | {
      readonly type: 'text' | 'reasoning' | 'refusal';
      readonly index: number;
      readonly text: string;
      /** Where several pieces came together: each of them, as it stands in a JSON string. `text` is all of them. */
      readonly pieces?: readonly string[];
    }
  /** The block goes on with a new paragraph: its finished text has `text` between the pieces before and after. */
  | { readonly type: 'break'; readonly index: number; readonly text: string }
  /** Says which tool a block calls. `call` tells parallel calls apart; `id` is empty where the provider gives none. */
  | {
      readonly type: 'tool-use';
      readonly index: number;
      readonly call: number;
      readonly id: string;
      readonly name: string;
      /** The tool takes free text; its arguments are complete only in the block's end. */
      readonly form?: 'custom';
    }
  /** The next piece of a call's arguments. */
  | { readonly type: 'tool-arguments'; readonly index: number; readonly call: number; readonly text: string }
  /**
   * A block is complete: its content with citations, media and whatever else has no pieces. It is the block at `place` of
   * `message`, the reply as far as it came, whose exact text has signatures and members that no block shows.
   */
  | {
      readonly type: 'block-end';
      readonly index: number;
      readonly block: ContentBlock;
      readonly message: Message;
      readonly place: number;
    }
  /** What an alternative says, by its number; the events of the first choice come without this wrapper. */
  | { readonly type: 'choice'; readonly choice: number; readonly event: BlockEvent }
  /** The tokens counted so far. A later event replaces an earlier one. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Why the reply ends. */
  | { readonly type: 'stop'; readonly stop: Stop }
  | Extract<StreamEvent, { type: 'error' | 'unknown' }>;

/** Reads one streamed reply block by block. */
export interface BlockReader {
  push(event: string | undefined, data: string): readonly BlockEvent[];
  /**
   * Takes the text of whole server-sent events. It is faster than `push` for each of them, and tells the same. With `isGathered`,
   * pieces of a block that came together are one event, which has them in `pieces`.
   */
  pushText(text: string, isGathered?: boolean): readonly BlockEvent[];
  /** The reply as far as it came, and the events that its end makes. */
  finish(): { readonly reply: Reply; readonly events: readonly BlockEvent[] };
}

/**
 * Reads a stream of any dialect block by block, for whoever writes it in another one.
 *
 * @example
 * const reader = readBlocks(myDialect);
 * for (const event of reader.push(name, data)) send(writer.push(event));
 * const { reply, events } = reader.finish();
 * for (const event of events) send(writer.push(event));
 * send(writer.finish(reply));
 */
export function readBlocks(dialect: Pick<Dialect, 'readStream'>, origin?: Partial<Origin>): BlockReader {
  return new BlockTracker(dialect.readStream(origin));
}

/** A block that has begun. */
interface TrackedBlock {
  readonly index: number;
  readonly kind: ContentBlock['type'];
  /** The text that has been told, or the id of a call. */
  text: string;
  /** Its content as it was last told to be complete. */
  told: string;
}

type Piece = Extract<StreamEvent, { type: 'text' | 'reasoning' | 'refusal' }>;
type Call = Extract<StreamEvent, { type: 'tool-use' }>;

/**
 * Pieces continue the last block of their kind. Where a block or a call begins, the message so far tells which blocks there
 * are, and what of them has not been told.
 */
class BlockTracker implements BlockReader {
  readonly #reader: StreamReader;
  /** In the order in which they began. */
  readonly #blocks: TrackedBlock[] = [];
  readonly #calls = new Map<number, TrackedBlock>();
  /** Whether the next piece begins a block. */
  #isBetween = false;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  push(event: string | undefined, data: string): readonly BlockEvent[] {
    const told = this.#reader.push(event, data);
    const events: BlockEvent[] = [];
    const begins = told.findLastIndex(({ type }) => type !== 'boundary' && type !== 'unknown' && type !== 'error');
    const ends = told.findLastIndex(({ type }) => type === 'boundary');
    const isBetween = ends >= 0 || (this.#isBetween && begins >= 0);
    if (isBetween || told.some(({ type }) => type === 'tool-use')) {
      const { message, usage } = this.#reader.finish();
      if (usage && this.#blocks.length === 0) events.push({ type: 'usage', usage });
      const last = message.content.at(-1);
      // What is being said is not complete, nor is what has no text yet.
      const isOpen = begins > ends || (last && 'text' in last && last.text === '');
      this.#tellMessage(message, told, isBetween ? message.content.length - (isOpen ? 1 : 0) : 0, events);
      this.#isBetween = ends > begins;
    } else for (const one of told) this.#tellPiece(one, events);
    for (const one of told) if (one.type === 'error' || one.type === 'unknown') events.push(one);
    return events;
  }

  pushText(text: string, isGathered = false): readonly BlockEvent[] {
    const events: BlockEvent[] = [];
    // Who stops between two pieces gets them in portions.
    for (const some of isGathered ? [text] : portions(text)) {
      // The first piece of a block is told with the message so far.
      const run = this.#isBetween ? undefined : readRun(this.#reader.usual?.(), some);
      const block = run && isGathered && this.#lastOf(run.type);
      if (block) this.#tellGathered(block, run, events);
      else if (run) for (const one of tellRun(run)) this.#tellPiece(one, events);
      else cutSse(some, (event, data) => events.push(...this.push(event, data)));
    }
    return events;
  }

  finish(): { reply: Reply; events: readonly BlockEvent[] } {
    const reply = this.#reader.finish();
    const events: BlockEvent[] = [];
    this.#tellMessage(reply.message, [], Infinity, events);
    reply.alternatives.forEach(({ message, stop }, at) => {
      const whole: BlockEvent[] = [];
      new BlockTracker(this.#reader).#tellMessage(message, [], Infinity, whole);
      for (const event of [...whole, { type: 'stop', stop } as const])
        events.push({ type: 'choice', choice: at + 1, event });
    });
    if (reply.usage) events.push({ type: 'usage', usage: reply.usage });
    events.push({ type: 'stop', stop: reply.stop });
    return { reply, events };
  }

  #tellPiece(one: StreamEvent, events: BlockEvent[]): void {
    if (one.type === 'tool-arguments') {
      const index = this.#calls.get(one.index)?.index;
      if (index !== undefined) events.push({ type: one.type, index, call: one.index, text: one.text });
    } else if (isPiece(one)) {
      const block = this.#lastOf(one.type) ?? this.#begin(one.type, '', events);
      block.text += one.text;
      events.push({ type: one.type, index: block.index, text: one.text });
    }
  }

  #tellGathered(block: TrackedBlock, run: DeltaRun, events: BlockEvent[]): void {
    const text = joinRun(run);
    block.text += text;
    events.push({ type: block.kind as Piece['type'], index: block.index, text, pieces: cutRun(run) });
  }

  #lastOf(kind: StreamEvent['type']): TrackedBlock | undefined {
    return this.#blocks.findLast((block) => block.kind === kind);
  }

  /**
   * Tells what a message has that was not told. The first blocks, `complete` in number, end, but not before the blocks in
   * front of them: not behind a call whose arguments are still coming.
   */
  #tellMessage(message: Message, told: readonly StreamEvent[], complete: number, events: BlockEvent[]): void {
    const known = this.#match(message.content);
    const calls = told.filter((one): one is Call => one.type === 'tool-use');
    let isComplete = true;
    message.content.forEach((block, place) => {
      isComplete &&= place < complete && (complete === Infinity || block.type !== 'tool-use' || hasArguments(block));
      const tracked = known[place] ?? this.#beginBlock(block, isComplete, calls, events);
      if (!tracked) return;
      if ('text' in block) tellGrowth(tracked, block, told, events);
      else if (block.type === 'tool-use')
        for (const one of told)
          if (one.type === 'tool-arguments' && this.#calls.get(one.index) === tracked) this.#tellPiece(one, events);
      if (isComplete) tellEnd(tracked, { block, message, place }, events);
    });
  }

  /** The tracked block of each block of a message: the first of its kind whose text or id it has. */
  #match(content: readonly ContentBlock[]): (TrackedBlock | undefined)[] {
    const left = new Set(this.#blocks);
    return content.map((block) => {
      const same = [...left].filter(({ kind }) => kind === block.type);
      const fits = ({ text }: TrackedBlock): boolean =>
        'text' in block ? block.text.startsWith(text) : block.type !== 'tool-use' || text === '' || text === block.id;
      const found = same.find(fits) ?? ('text' in block && block.text !== '' ? same[0] : undefined);
      if (found) left.delete(found);
      return found;
    });
  }

  /** A block without pieces begins when it is complete, a call when it is told. */
  #beginBlock(block: ContentBlock, isComplete: boolean, calls: Call[], events: BlockEvent[]): TrackedBlock | undefined {
    const at = block.type === 'tool-use' ? calls.findIndex(({ id }) => id === '' || id === block.id) : -1;
    const [call] = at < 0 ? [] : calls.splice(at, 1);
    if (!isComplete && !call && !('text' in block)) return undefined;
    const tracked = this.#begin(block.type, call?.id ?? '', events);
    if (!call || block.type !== 'tool-use') return tracked;
    const { id, name, index } = call;
    this.#calls.set(index, tracked);
    const form = block.form && { form: block.form };
    events.push({ type: 'tool-use', index: tracked.index, call: index, id, name, ...form });
    return tracked;
  }

  #begin(kind: ContentBlock['type'], text: string, events: BlockEvent[]): TrackedBlock {
    const block: TrackedBlock = { index: this.#blocks.length, kind, text, told: '' };
    this.#blocks.push(block);
    events.push({ type: 'block-start', index: block.index, kind });
    return block;
  }
}

function isPiece(one: StreamEvent): one is Piece {
  return one.type === 'text' || one.type === 'reasoning' || one.type === 'refusal';
}

function hasArguments({ rawParameters }: ToolUseBlock): boolean {
  return rawParameters.trim() !== '' && areArguments(rawParameters);
}

/** Tells the text that a block has gained. What no piece of it told stands between two paragraphs. */
function tellGrowth(
  tracked: TrackedBlock,
  { type, text }: TextBlock | ReasoningBlock | RefusalBlock,
  told: readonly StreamEvent[],
  events: BlockEvent[],
): void {
  const news = text.startsWith(tracked.text) ? text.slice(tracked.text.length) : '';
  if (news === '') return;
  const said = told.flatMap((one) => (isPiece(one) && one.type === type ? one.text : [])).join('');
  const { index } = tracked;
  const between = tracked.text !== '' && said !== '' && news.endsWith(said) ? news.slice(0, -said.length) : '';
  if (between !== '') events.push({ type: 'break', index, text: between });
  events.push({ type, index, text: news.slice(between.length) });
  tracked.text = text;
}

/** Tells that a block is complete, unless that was told of the same content. An id that we made is not content. */
function tellEnd(
  tracked: TrackedBlock,
  end: { readonly block: ContentBlock; readonly message: Message; readonly place: number },
  events: BlockEvent[],
): void {
  const told = JSON.stringify(end.block, (name, value) => (name === 'id' || name === 'parameters' ? undefined : value));
  if (tracked.told === told) return;
  tracked.told = told;
  events.push({ type: 'block-end', index: tracked.index, ...end });
}
