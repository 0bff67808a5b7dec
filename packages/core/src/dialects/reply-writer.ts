import { digest } from '../json/index.ts';
import type { ContentBlock, Message, ToolUseBlock } from '../message/index.ts';
import type { BlockEvent } from './block-events.ts';
import { unescapeJson } from './delta-run.ts';
import { fitBlock, type ReplyAbilities, serveCall } from './fit-reply.ts';
import { dropped, type LossNote, rewritten, synthesised } from './loss.ts';
import type { Stop, StopReason, Usage } from './reply.ts';
import type { ServedTool } from './request-meaning.ts';
import type { ReplyContent, ReplyHead, ReplyWriter, ServedError, WriteStreamOptions } from './serve.ts';
import { areArguments } from './write/translate.ts';

type Kind = ContentBlock['type'];

/** Notes what a protocol loses that gives one reply to each request. */
export function noteAlternatives({ alternatives = [] }: ReplyContent, losses: LossNote[]): void {
  for (const at of alternatives.keys()) losses.push(dropped(`alternatives[${at}]`, 'unknown-block'));
}

/** An id in the form of an API: the same for the same response and place. */
export function makeId({ id }: ReplyHead, prefix: string, place: string | number, length = 24): string {
  return `${prefix}${digest(`${id} ${place}`).slice(0, length)}`;
}

/** The API's word for why a reply ended: its own where it gave one, else that for the reason. */
export function stopWord(
  { reason, native }: Stop,
  isOwn: boolean,
  words: Readonly<Partial<Record<StopReason, string>>>,
): string {
  return (isOwn ? native : undefined) ?? words[reason] ?? words.end!;
}

/** One block of a reply on its way to the client. */
export interface OutgoingBlock {
  /** Its number among the blocks of the reply. */
  readonly index: number;
  readonly kind: Kind;
  call?: { readonly id: string; readonly name: string };
  /** Of a call: the client's tool. */
  tool?: ServedTool | undefined;
  /** The text or the arguments that have been written. */
  written: string;
  state: 'new' | 'open' | 'closed';
  isEnded: boolean;
  /** Its place among the blocks that were written. */
  place: number;
}

/** How one protocol writes the parts of a stream, each as the text to send. */
export interface StreamForm {
  readonly dialect: string;
  /** Where losses are noted. */
  readonly losses: LossNote[];
  readonly abilities: ReplyAbilities;
  /** The kinds of blocks that are written piece by piece. */
  readonly streamed: ReadonlySet<Kind>;
  /** The beginning of the stream; `usage` is what is known by then. */
  begin(usage: Usage | undefined): string;
  open(block: OutgoingBlock): string;
  /** The next piece of text or arguments; `isParagraph`: the text only separates paragraphs. */
  piece(block: OutgoingBlock, text: string, isParagraph: boolean): string;
  /**
   * What stands before and behind the JSON string of each further piece of a block, without its quotation marks; absent where the
   * pieces of a block do not differ in their text alone.
   */
  frame?(block: OutgoingBlock): readonly [before: string, after: string];
  /** The end of a block that was opened. `native` is its own text, where the block is of this dialect. */
  close(block: OutgoingBlock, content: ContentBlock | undefined, native: string | undefined): string;
  /** A block that is not written piece by piece. */
  whole(block: OutgoingBlock, content: ContentBlock, native: string | undefined): string;
  /** What can still be said of a block that was closed before its end was known; absent where nothing can. */
  amend?(block: OutgoingBlock, content: ContentBlock): string;
  /** The end of the stream. */
  end(reply: ReplyContent, isOwn: boolean): string;
  fail(error: ServedError): string;
  /** The native text of each block of a message of this dialect. */
  natives(message: Message): readonly (string | undefined)[];
  /** How an alternative is written; absent where the protocol has none. */
  choice?(number: number): StreamForm;
}

/**
 * Writes a stream block by block, though events of several blocks may be mixed: a block that is open ends where another
 * begins, but for the arguments of a call, which are written to their end first.
 */
export class StreamWriter implements ReplyWriter {
  readonly losses: LossNote[];
  readonly #form: StreamForm;
  readonly #options: WriteStreamOptions;
  readonly #blocks = new Map<number, OutgoingBlock>();
  /** In the order in which they ended, which is that of the message. */
  readonly #ended: OutgoingBlock[] = [];
  readonly #choices = new Map<number, StreamWriter>();
  /** Events of other blocks that wait for the end of a call. */
  readonly #waiting: (BlockEvent & { readonly index: number })[] = [];
  #live: OutgoingBlock | undefined;
  #usage: Usage | undefined;
  #places = 0;
  #isBegun = false;
  #isDone = false;

  constructor(form: StreamForm, options: WriteStreamOptions) {
    this.#form = form;
    this.#options = options;
    this.losses = form.losses;
  }

  push(event: BlockEvent): string {
    if (this.#isDone) return '';
    if (event.type === 'usage') this.#usage = event.usage;
    if (event.type === 'error') return this.fail({ status: 500, code: 'server_error', message: event.message });
    if (event.type === 'choice') return this.#begin() + (this.#choice(event.choice)?.push(event.event) ?? '');
    return 'index' in event ? this.#begin() + this.#take(event) : '';
  }

  finish(reply: ReplyContent): string {
    if (this.#isDone) return '';
    let text = this.#begin() + this.#content(reply.message);
    reply.alternatives?.forEach((alternative, at) => {
      text += this.#choice(at + 1)?.finish({ ...alternative, usage: undefined }) ?? '';
    });
    this.#isDone = true;
    const { dialect } = this.#form;
    const isOwn = reply.message.origin.dialect === dialect || this.#options.dialect === dialect;
    return text + this.#form.end({ ...reply, usage: reply.usage ?? this.#usage }, isOwn);
  }

  fail(error: ServedError): string {
    if (this.#isDone) return '';
    const text = this.#begin();
    this.#isDone = true;
    return text + this.#form.fail(error);
  }

  #begin(): string {
    if (this.#isBegun) return '';
    this.#isBegun = true;
    return this.#form.begin(this.#usage);
  }

  #choice(number: number): StreamWriter | undefined {
    const form = this.#choices.has(number) ? undefined : this.#form.choice?.(number);
    if (form) this.#choices.set(number, new StreamWriter(form, this.#options));
    const writer = this.#choices.get(number);
    const path = `alternatives[${number - 1}]`;
    if (!writer && !this.losses.some((loss) => loss.path === path)) this.losses.push(dropped(path, 'unknown-block'));
    return writer;
  }

  #take(event: BlockEvent & { readonly index: number }): string {
    const live = this.#live;
    const isHeld = live?.kind === 'tool-use' && (live.written.trim() === '' || !areArguments(live.written));
    if (!isHeld || event.index === live.index) return this.#write(event);
    this.#waiting.push(event);
    return '';
  }

  #write(event: BlockEvent & { readonly index: number }): string {
    const kind = event.type === 'block-start' ? event.kind : event.type === 'block-end' ? event.block.type : 'text';
    const isDelta = event.type === 'text' || event.type === 'reasoning' || event.type === 'refusal';
    const block = this.#blockFor(event.index, isDelta ? event.type : event.type.startsWith('tool') ? 'tool-use' : kind);
    const isStreamed = this.#form.streamed.has(block.kind);
    switch (event.type) {
      case 'tool-use':
        block.tool = this.#options.tools?.get(event.name);
        if (!isStreamed || event.form || block.tool?.form) return '';
        this.#name(block, event.id, event.name);
        return this.#goTo(block);
      case 'tool-arguments':
        return block.call ? this.#piece(block, event.text) : '';
      case 'break':
        return isStreamed && block.state !== 'new' ? this.#piece(block, event.text, true) : '';
      case 'text':
      case 'reasoning':
      case 'refusal':
        if (!isStreamed) return '';
        return event.pieces ? this.#pieces(block, event.text, event.pieces) : this.#piece(block, event.text);
      case 'block-end':
        return this.#endTold(block, event);
      default:
        return '';
    }
  }

  #endTold(
    block: OutgoingBlock,
    { block: content, message, place }: BlockEvent & { readonly type: 'block-end' },
  ): string {
    const isOwn = this.#options.dialect === this.#form.dialect;
    return this.#end(block, content, isOwn ? this.#form.natives(message)[place] : undefined, isOwn);
  }

  #blockFor(index: number, kind: Kind): OutgoingBlock {
    const known = this.#blocks.get(index);
    if (known) return known;
    const shown = kind === 'refusal' && !this.#form.abilities.refusals ? 'text' : kind;
    const block: OutgoingBlock = { index, kind: shown, written: '', state: 'new', isEnded: false, place: -1 };
    this.#blocks.set(index, block);
    return block;
  }

  #name(block: OutgoingBlock, id: string, name: string): void {
    const path = `content[${block.index}]`;
    const shown = serveCall({ id, name }, path, this.#form.abilities, this.#options.tools, this.losses);
    block.call = this.#callFor(block, shown);
  }

  #callFor(
    { index }: OutgoingBlock,
    { id, name }: Pick<ToolUseBlock, 'id' | 'name'>,
  ): NonNullable<OutgoingBlock['call']> {
    if (id === '') this.losses.push(synthesised(`content[${index}].id`, 'tool-id'));
    return { id: id || makeId(this.#options, 'call_', index), name };
  }

  #piece(block: OutgoingBlock, text: string, isParagraph = false): string {
    if (text === '') return '';
    const before = this.#goTo(block);
    block.written += text;
    return before + this.#form.piece(block, text, isParagraph);
  }

  /** Pieces that came together. All that is done for each of them is done by the platform's own code. */
  #pieces(block: OutgoingBlock, text: string, pieces: readonly string[]): string {
    const frame = this.#live === block && block.written !== '' ? this.#form.frame?.(block) : undefined;
    if (!frame || pieces.includes('')) return pieces.map((one) => this.#piece(block, unescapeJson(one))).join('');
    const [before, after] = frame;
    block.written += text;
    return `${before}${pieces.join(`${after}${before}`)}${after}`;
  }

  /** Makes a block the one that is written. */
  #goTo(block: OutgoingBlock): string {
    if (this.#live === block) return '';
    const before = this.#closeLive();
    if (block.state === 'closed') this.losses.push(rewritten(`content[${block.index}]`, 'reordered'));
    if (block.state === 'new') block.place = this.#places++;
    block.state = 'open';
    this.#live = block;
    return before + this.#form.open(block);
  }

  #closeLive(content?: ContentBlock, native?: string): string {
    const live = this.#live;
    if (!live) return '';
    live.state = 'closed';
    this.#live = undefined;
    return this.#form.close(live, content, native);
  }

  #end(block: OutgoingBlock, content: ContentBlock, given: string | undefined, isOwn: boolean): string {
    const reference = () => this.#options.reference?.(block.index);
    const isAgain = block.isEnded;
    if (!isAgain) this.#ended.push(block);
    const path = `content[${this.#ended.indexOf(block)}]`;
    block.isEnded = true;
    // What was closed already keeps the form it has.
    const notes = isAgain ? [] : this.losses;
    const { tools } = this.#options;
    if (content.type === 'tool-use') block.tool = tools?.get(content.name);
    // The call was named when it began.
    const known = block.call ? [] : notes;
    const shown = isOwn
      ? content
      : fitBlock(content, path, this.#form.abilities, reference, tools, content.type === 'tool-use' ? known : notes);
    const native = isOwn ? given : undefined;
    if (!shown) return this.#live === block ? this.#closeLive() + this.#resume() : '';
    const isEarly = block.state !== 'new' && this.#ended.some(({ place }) => place > block.place);
    if (isEarly && !isAgain) notes.push(rewritten(path, 'reordered'));
    if (block.state === 'new' && (block.tool?.form !== undefined || !this.#isPieced(shown))) {
      const before = this.#closeLive();
      block.state = 'closed';
      block.place = this.#places++;
      return before + this.#form.whole(block, shown, native);
    }
    if (shown.type === 'tool-use') block.call ??= this.#callFor(block, shown);
    const whole = shown.type === 'tool-use' ? shown.rawParameters : 'text' in shown ? shown.text : '';
    let text = '';
    if (whole.startsWith(block.written)) text += this.#piece(block, whole.slice(block.written.length));
    else notes.push(rewritten(path, 'reordered'));
    if (block.state === 'new') text += this.#goTo(block);
    if (this.#live === block) return text + this.#closeLive(shown, native) + this.#resume();
    if (isAgain || shown.type !== 'text' || !shown.citations) return text;
    if (this.#form.amend) return text + this.#form.amend(block, shown);
    for (const at of shown.citations.keys()) notes.push(dropped(`${path}.citations[${at}]`, 'citations'));
    return text;
  }

  #isPieced(block: ContentBlock): boolean {
    if (!this.#form.streamed.has(block.type)) return false;
    return block.type === 'reasoning' ? !block.redacted : !('form' in block);
  }

  /** Writes what waited for the end of a call. */
  #resume(): string {
    return this.#waiting
      .splice(0)
      .map((event) => this.#take(event))
      .join('');
  }

  /** What the events did not bring, and the ends of what they left open. */
  #content(message: Message): string {
    let text = '';
    while (this.#waiting.length > 0) text += this.#closeLive() + this.#resume();
    const isOwn = message.origin.dialect === this.#form.dialect;
    const natives = isOwn ? this.#form.natives(message) : [];
    const open = [...this.#blocks.values()].filter(({ isEnded }) => !isEnded);
    const known = [...this.#ended, ...open];
    message.content.forEach((content, at) => {
      const block = known[at] ?? this.#blockFor(this.#blocks.size, content.type);
      if (!block.isEnded) text += this.#end(block, content, natives[at], isOwn);
    });
    return text + this.#closeLive();
  }
}
