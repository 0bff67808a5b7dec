import {
  ensureMember,
  getMember,
  type JsonObject,
  leafNode,
  listNode,
  parseJson,
  parseTree,
  printTree,
  type RecordNode,
  setMember,
  type Tree,
  textAt,
  textNode,
} from '../../json/index.ts';
import type { ContentBlock, Origin } from '../../message/index.ts';
import { blockEnd, type StreamEvent } from '../stream/events.ts';
import { areArguments } from '../write/translate.ts';
import { readContent, readStep } from './view.ts';

/** One step while it arrives: what `step.start` announced, with the deltas joined to it. */
export class StreamStep {
  readonly index: number;
  isOpen = true;
  readonly #type: unknown;
  readonly #tree: RecordNode;
  /** Its place among the steps, which tells parallel calls apart. */
  readonly #place: number;
  readonly #numbers: { next: number };
  readonly #origin: Origin;
  /** The pieces of a call's arguments. */
  readonly #arguments: string[] = [];
  /** The numbers of its blocks: an output has one for each content, any other step is one block. */
  readonly #blocks: number[] = [];
  /** The block that is told piece by piece. */
  #live: number | undefined;

  constructor(index: number, text: string, place: number, numbers: { next: number }, origin: Origin) {
    this.index = index;
    this.#tree = parseTree(text) as RecordNode;
    this.#type = (parseJson(text) as JsonObject).type;
    this.#place = place;
    this.#numbers = numbers;
    this.#origin = origin;
  }

  /** Tells that the step begins, and the contents that it begins with. */
  begin(events: StreamEvent[]): void {
    if (this.#type === 'model_output') {
      for (const block of this.#toBlocks()) {
        this.#startBlock(block.type, events);
        if (block.type === 'text' && block.text !== '')
          events.push({ type: 'text', index: this.#live!, text: block.text });
      }
      return;
    }
    const [block] = this.#toBlocks();
    const index = this.#startBlock(block!.type, events);
    if (block?.type === 'tool-use')
      events.push({ type: 'tool-use', index, call: this.#place, id: block.id, name: block.name });
    if (block?.type === 'reasoning' && block.text !== '') events.push({ type: 'reasoning', index, text: block.text });
  }

  /** The next piece of the text of an output. */
  say(piece: string, text: string, events: StreamEvent[]): void {
    const contents = ensureMember(this.#tree, 'content', listNode).items;
    let last = contents.at(-1);
    if (!isTextContent(last)) {
      last = parseTree('{"type":"text","text":""}') as RecordNode;
      contents.push(last);
      this.#startBlock('text', events);
    }
    this.#live ??= this.#blocks.at(-1);
    ensureMember(last, 'text', textNode).pieces.push(piece);
    events.push({ type: 'text', index: this.#live!, text });
  }

  /** The next piece of a call's arguments. */
  argue(text: string, events: StreamEvent[]): void {
    this.#arguments.push(text);
    events.push({ type: 'tool-arguments', index: this.#blocks[0]!, call: this.#place, text });
  }

  /** Adds any other delta; returns false if it does not belong to such a step. */
  add(type: string, delta: RecordNode, value: JsonObject, events: StreamEvent[]): boolean {
    if (type === 'text_annotation_delta') return this.#annotate(delta, events);
    if (type === 'thought_signature') {
      const signature = getMember(delta, 'signature');
      if (signature) setMember(this.#tree, 'signature', signature);
      return signature !== undefined;
    }
    if (type === 'thought_summary') return this.#summarise(getMember(delta, 'content'), events);
    if (this.#type === 'model_output') {
      ensureMember(this.#tree, 'content', listNode).items.push(delta);
      const text = printTree(delta);
      this.#startBlock(readContent(value, text, this.#origin).type, events);
      this.#endLive(events);
      return true;
    }
    if (type !== this.#type) return false;
    for (const { name, key, value: given } of delta.members) {
      const before = getMember(this.#tree, name);
      if (before?.kind === 'list' && given.kind === 'list') before.items.push(...given.items);
      else if (name !== 'type') setMember(this.#tree, name, given, key);
    }
    return true;
  }

  /** Tells that the step is complete. */
  end(events: StreamEvent[]): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const [block] = this.#type === 'function_call' ? this.#toBlocks() : [];
    if (block?.type === 'tool-use' && this.#arguments.length === 0) this.argue(block.rawParameters, events);
    this.#endLive(events);
  }

  /** The step as it stands. Arguments that never became a JSON object are a string, which no request takes. */
  text(): string {
    const announced = getMember(this.#tree, 'arguments');
    const isAnnounced = !this.isOpen || (announced?.kind === 'record' && announced.members.length > 0);
    const isDone = this.#arguments.length === 0 && isAnnounced;
    if (this.#type !== 'function_call' || isDone) return printTree(this.#tree);
    const given = this.#arguments.join('');
    const isWhole = given.trim() !== '' && areArguments(given);
    setMember(this.#tree, 'arguments', isWhole ? leafNode(given) : leafNode(JSON.stringify(given)));
    const text = printTree(this.#tree);
    if (announced) setMember(this.#tree, 'arguments', announced);
    return text;
  }

  #annotate(delta: RecordNode, events: StreamEvent[]): boolean {
    const contents = ensureMember(this.#tree, 'content', listNode).items;
    const at = contents.findLastIndex(isTextContent);
    const annotations = getMember(delta, 'annotations');
    if (at < 0 || annotations?.kind !== 'list') return false;
    ensureMember(contents[at] as RecordNode, 'annotations', listNode).items.push(...annotations.items);
    // The block may have ended where another content began.
    if (this.#blocks[at] !== this.#live) events.push(this.#blockEnd(at));
    return true;
  }

  #summarise(content: Tree | undefined, events: StreamEvent[]): boolean {
    if (content?.kind !== 'record') return false;
    const summary = ensureMember(this.#tree, 'summary', listNode).items;
    const last = summary.at(-1);
    const said = getMember(content, 'text');
    const index = this.#blocks[0]!;
    if (said?.kind === 'text' && isTextContent(last)) ensureMember(last, 'text', textNode).pieces.push(...said.pieces);
    else {
      if (said && summary.some(isTextContent)) events.push({ type: 'break', index, text: '\n\n' });
      summary.push(content);
    }
    if (said?.kind === 'text') events.push({ type: 'reasoning', index, text: parseJson(printTree(said)) as string });
    return true;
  }

  /** Begins the next block, and ends the one before it. */
  #startBlock(kind: ContentBlock['type'], events: StreamEvent[]): number {
    this.#endLive(events);
    const index = this.#numbers.next++;
    this.#blocks.push(index);
    this.#live = index;
    events.push({ type: 'block-start', index, kind });
    return index;
  }

  #endLive(events: StreamEvent[]): void {
    if (this.#live !== undefined) events.push(this.#blockEnd(this.#blocks.indexOf(this.#live)));
    this.#live = undefined;
  }

  #blockEnd(at: number): StreamEvent {
    const text = this.text();
    const native = (this.#type === 'model_output' && textAt(text, ['content', at])) || text;
    return blockEnd(
      this.#blocks[at]!,
      () => this.#toBlocks(text)[at] ?? { type: 'unknown', native },
      () => native,
    );
  }

  #toBlocks(text = this.text()): readonly ContentBlock[] {
    return readStep({ text, value: parseJson(text) }, this.#origin, () => '');
  }
}

function isTextContent(content: Tree | undefined): content is RecordNode {
  if (content?.kind !== 'record') return false;
  const type = getMember(content, 'type');
  return type !== undefined && printTree(type) === '"text"';
}
