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
  textNode,
} from '../../json/index.ts';
import type { ContentBlock, Origin } from '../../message/index.ts';
import { BOUNDARY, type StreamEvent } from '../stream.ts';
import { areArguments } from '../write/translate.ts';
import { DIALECT } from './provider.ts';
import { readStep } from './view.ts';

/** What a step says does not depend on where it comes from. */
const ORIGIN: Origin = { dialect: DIALECT, issuer: '' };

/** One step while it arrives: what `step.start` announced, with the deltas joined to it. */
export class StreamStep {
  readonly index: number;
  isOpen = true;
  readonly #type: unknown;
  readonly #tree: RecordNode;
  /** Its place among the steps, which tells parallel calls apart. */
  readonly #place: number;
  /** The pieces of a call's arguments. */
  readonly #arguments: string[] = [];

  constructor(index: number, text: string, place: number) {
    this.index = index;
    this.#tree = parseTree(text) as RecordNode;
    this.#type = (parseJson(text) as JsonObject).type;
    this.#place = place;
  }

  /** Tells what the step begins with. */
  begin(events: StreamEvent[]): void {
    this.#toBlocks().forEach((block, at) => {
      if (at > 0) events.push(BOUNDARY);
      if (block.type === 'tool-use')
        events.push({ type: block.type, index: this.#place, id: block.id, name: block.name });
      else if ((block.type === 'text' || block.type === 'reasoning') && block.text !== '')
        events.push({ type: block.type, text: block.text });
    });
  }

  /** The next piece of the text of an output. */
  say(piece: string, text: string, events: StreamEvent[]): void {
    const contents = ensureMember(this.#tree, 'content', listNode).items;
    let last = contents.at(-1);
    if (!isTextContent(last)) {
      if (last) events.push(BOUNDARY);
      last = parseTree('{"type":"text","text":""}') as RecordNode;
      contents.push(last);
    }
    ensureMember(last, 'text', textNode).pieces.push(piece);
    events.push({ type: 'text', text });
  }

  /** The next piece of a call's arguments. */
  #argue(text: string, events: StreamEvent[]): void {
    this.#arguments.push(text);
    events.push({ type: 'tool-arguments', index: this.#place, text });
  }

  /** Adds any other delta; returns false if it does not belong to such a step. */
  add(type: string, delta: RecordNode, value: JsonObject, events: StreamEvent[]): boolean {
    if (type === 'text' && typeof value.text === 'string')
      return addMembers(ensureMember(this.#tree, 'content', listNode).items.at(-1) as RecordNode, delta, 'text');
    if (type === 'text_annotation_delta') return this.#annotate(delta);
    if (type === 'thought_signature') return addMembers(this.#tree, delta);
    if (type === 'thought_summary')
      return this.#summarise(getMember(delta, 'content'), events) && addMembers(this.#tree, delta, 'content');
    if (type === 'arguments_delta') {
      this.#argue(typeof value.arguments === 'string' ? value.arguments : '', events);
      return addMembers(this.#tree, delta, 'arguments');
    }
    if (this.#type === 'model_output') {
      ensureMember(this.#tree, 'content', listNode).items.push(delta);
      events.push(BOUNDARY);
      return true;
    }
    if (type !== this.#type) return false;
    return addMembers(this.#tree, delta);
  }

  /** Tells that the step is complete. */
  end(events: StreamEvent[]): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const [block] = this.#type === 'function_call' ? this.#toBlocks() : [];
    if (block?.type === 'tool-use' && this.#arguments.length === 0) this.#argue(block.rawParameters, events);
    events.push(BOUNDARY);
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

  #annotate(delta: RecordNode): boolean {
    const contents = ensureMember(this.#tree, 'content', listNode).items;
    const at = contents.findLastIndex(isTextContent);
    const annotations = getMember(delta, 'annotations');
    if (at < 0 || annotations?.kind !== 'list') return false;
    addMembers(contents[at] as RecordNode, delta);
    return true;
  }

  #summarise(content: Tree | undefined, events: StreamEvent[]): boolean {
    if (content?.kind !== 'record') return false;
    const summary = ensureMember(this.#tree, 'summary', listNode).items;
    const last = summary.at(-1);
    const said = getMember(content, 'text');
    if (said?.kind === 'text' && isTextContent(last)) {
      ensureMember(last, 'text', textNode).pieces.push(...said.pieces);
      addMembers(last, content, 'text');
    } else {
      if (said && summary.some(isTextContent)) events.push(BOUNDARY);
      summary.push(content);
    }
    if (said?.kind === 'text') events.push({ type: 'reasoning', text: parseJson(printTree(said)) as string });
    return true;
  }

  #toBlocks(): readonly ContentBlock[] {
    const text = this.text();
    return readStep({ text, value: parseJson(text) }, ORIGIN, () => '');
  }
}

/** Adds the members of a delta, but for its type and one that has been read. Lists grow, all else is replaced. */
function addMembers(target: RecordNode, delta: RecordNode, read?: string): boolean {
  for (const { name, key, value } of delta.members) {
    const before = getMember(target, name);
    if (name === 'type' || name === read) continue;
    if (before?.kind === 'list' && value.kind === 'list') before.items.push(...value.items);
    else setMember(target, name, value, key);
  }
  return true;
}

function isTextContent(content: Tree | undefined): content is RecordNode {
  if (content?.kind !== 'record') return false;
  const type = getMember(content, 'type');
  return type !== undefined && printTree(type) === '"text"';
}
