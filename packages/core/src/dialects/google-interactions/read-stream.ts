import {
  ensureMember,
  getMember,
  isObject,
  type JsonObject,
  leafNode,
  listNode,
  overlay,
  parseJson,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  type TextNode,
  type Tree,
  textAt,
  textNode,
} from '../../json/index.ts';
import type { ContentBlock, Origin } from '../../message/index.ts';
import type { Assembler } from '../dialect.ts';
import {
  BOUNDARY,
  type DeltaPattern,
  errorEvent,
  escapedPiece,
  NO_EVENTS,
  readEvent,
  type StreamEvent,
  TEXT,
  UnreadEvents,
} from '../stream.ts';
import { areArguments } from '../write/translate.ts';
import { DIALECT } from './provider.ts';
import { readStep, toReply } from './read-response.ts';
import { turnText } from './steps.ts';

/**
 * Puts a streamed interaction together. Its steps stand in the order in which they began, which need not be that of
 * their work: a search may follow the text that it was made for.
 */
export function assemble(): Assembler {
  return new InteractionAssembler();
}

class InteractionAssembler implements Assembler {
  readonly #steps: StreamStep[] = [];
  readonly #unread = new UnreadEvents();
  readonly #interaction: RecordNode = recordNode();
  #isTerminal = false;
  #hasFailed = false;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    if (data === '[DONE]') return NO_EVENTS;
    return readEvent(this.#unread, event, data, (value) => {
      const type = typeof value.event_type === 'string' ? value.event_type : (event ?? '');
      const told = this.#read(type, data, value);
      if (told && Object.keys(value).some((name) => !KNOWN.has(name))) this.#unread.keep(event, data);
      return told;
    });
  }

  usual(): DeltaPattern | undefined {
    const step = this.#steps.at(-1);
    const node = step?.isOpen ? step.growing : undefined;
    if (!node || !Number.isSafeInteger(step!.index)) return undefined;
    return {
      type: 'text',
      pattern: `(?:event: step\\.delta\n)?data: \\{"index":${step!.index},"delta":\\{"text":${TEXT},"type":"text"\\},"event_type":"step\\.delta"(?:,"event_id":"[\\w-]*")?\\}`,
      add: (text) => node.pieces.push(text),
    };
  }

  finish(): ReturnType<Assembler['finish']> {
    const cut = !this.#isTerminal;
    const raw = turnText(this.#steps.map((step) => step.text()));
    const text = printTree(this.#interaction);
    const interaction = parseJson(text) as JsonObject;
    const envelope = parseTree(text) as RecordNode;
    setMember(envelope, 'steps', leafNode('null'));
    this.#unread.addTo(envelope);
    const reply = toReply(text, interaction, raw, parseJson(raw) as unknown[], printTree(envelope));
    if (!cut && !this.#hasFailed) return { ...reply, cut };
    const native = this.#hasFailed && typeof interaction.status === 'string' ? interaction.status : undefined;
    return { ...reply, choices: [{ raw, stop: { reason: this.#hasFailed ? 'error' : 'cut', native } }], cut };
  }

  /** Undefined for an event that is not understood. */
  #read(type: string, data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    const events: StreamEvent[] = [];
    const { index, step, delta, interaction, error } = value;
    if (type === 'error' || isObject(error)) {
      this.#hasFailed = true;
      this.#unread.keep(type, data);
      return [errorEvent(error ?? value, data)];
    }
    if (type === 'step.start' && isObject(step)) {
      this.#start(index, textAt(data, ['step'])!, events);
      return events;
    }
    if (type === 'step.delta' && isObject(delta)) return this.#delta(index, delta, data, events) ? events : undefined;
    if (type === 'step.stop') {
      this.#last(index)?.end(events);
      return events;
    }
    if (isObject(interaction)) return this.#respond(type, textAt(data, ['interaction'])!, interaction);
    if (type !== 'interaction.status_update') return undefined;
    for (const name of ['status', 'continuation_token', 'usage'])
      if (value[name] !== undefined) setMember(this.#interaction, name, parseTree(textAt(data, [name])!));
    return NO_EVENTS;
  }

  #start(index: unknown, text: string, events: StreamEvent[]): StreamStep {
    const at = typeof index === 'number' ? index : this.#steps.length;
    const step = new StreamStep(at, text, this.#steps.length);
    if (this.#steps.at(-1)?.isOpen) events.push(BOUNDARY);
    this.#steps.push(step);
    step.begin(events);
    return step;
  }

  #last(index: unknown): StreamStep | undefined {
    return typeof index === 'number' ? this.#steps.findLast((step) => step.index === index) : this.#steps.at(-1);
  }

  /** Adds a delta to its step, which is begun if nothing announced it. Returns false for a delta that is not understood. */
  #delta(index: unknown, delta: JsonObject, data: string, events: StreamEvent[]): boolean {
    const type = String(delta.type);
    const announced = this.#last(index);
    if (!announced && type === 'arguments_delta') return false;
    const kind = CONTENT_DELTA.test(type) ? 'model_output' : type.startsWith('thought_') ? 'thought' : type;
    const step = announced ?? this.#start(index, `{"type":${JSON.stringify(kind)}}`, events);
    const { text } = delta;
    const isText = type === 'text' && typeof text === 'string';
    if (isText) step.say(escapedPiece(data, ['delta', 'text'], text), text, events);
    if (isText && Object.keys(delta).length === 2) return true;
    return step.add(type, parseTree(textAt(data, ['delta'])!) as RecordNode, delta, events);
  }

  /** The interaction as it stands, or at its end. */
  #respond(type: string, text: string, value: JsonObject): readonly StreamEvent[] {
    overlay(this.#interaction, parseTree(text), true);
    if (this.#isTerminal || /^interaction\.(?:created|status_update|in_progress|queued)$/.test(type)) return NO_EVENTS;
    this.#isTerminal = true;
    const events: StreamEvent[] = [];
    // Some ends repeat the steps, which count only where the stream brought none.
    const { steps } = value;
    if (this.#steps.length === 0 && Array.isArray(steps))
      for (const at of steps.keys()) this.#start(at, textAt(text, ['steps', at])!, events);
    for (const step of this.#steps) step.end(events);
    if (value.status !== 'failed') return events;
    this.#hasFailed = true;
    const interaction = printTree(this.#interaction);
    const { errors } = parseJson(interaction) as JsonObject;
    return [...events, errorEvent(Array.isArray(errors) ? errors[0] : undefined, interaction)];
  }
}

const CONTENT_DELTA = /^(?:text|text_annotation_delta|image|audio|video|document)$/;

/** Members of events that are read, or that only say where the event belongs. */
const KNOWN: ReadonlySet<string> = new Set(
  'event_type event_id index step delta interaction interaction_id status continuation_token usage error'.split(' '),
);

/** What a step says does not depend on where it comes from. */
const ORIGIN: Origin = { dialect: DIALECT, issuer: '' };

/** One step while it arrives: what `step.start` announced, with the deltas joined to it. */
class StreamStep {
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

  /** The text to which the next piece is added; undefined where that piece begins it. */
  get growing(): TextNode | undefined {
    const contents = getMember(this.#tree, 'content');
    const last = contents?.kind === 'list' ? contents.items.at(-1) : undefined;
    const text = isTextContent(last) ? getMember(last, 'text') : undefined;
    return text?.kind === 'text' ? text : undefined;
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
