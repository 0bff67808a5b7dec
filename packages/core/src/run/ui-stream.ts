import type { StreamDelta } from '../dialects/index.ts';
import { isJson } from '../json/index.ts';
import type { ContentBlock, Message, ToolUseBlock } from '../message/index.ts';
import type { RunStop } from './result.ts';

/** What a reader is told of a turn, whether it is told by a run or by a stored generation. */
export type TurnEvent =
  | StreamDelta
  /** The reply is complete. */
  | { readonly type: 'reply'; readonly message: Message }
  /** A call is answered. */
  | {
      readonly type: 'output';
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
      readonly text: string;
      readonly failed: boolean;
    }
  /** A call waits for approval. */
  | { readonly type: 'approval'; readonly call: ToolUseBlock }
  | { readonly type: 'finish'; readonly reason: RunStop['reason'] };

const FINISH: Readonly<Partial<Record<RunStop['reason'], string>>> = {
  end: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  refusal: 'content-filter',
  filter: 'content-filter',
  'tool-use': 'tool-calls',
  approval: 'tool-calls',
  error: 'error',
};

/** Writes events as the parts of a UI message stream of the AI SDK, version 1. Each part is a JSON text. */
export class MessageStreamWriter {
  #blocks = 0;
  #block: { readonly type: 'text' | 'reasoning'; readonly id: string } | undefined;
  #step: 'none' | 'reply' | 'replied' = 'none';
  /** Calls of the current reply by their place in it. */
  readonly #calls = new Map<number, { readonly id: string; readonly name: string }>();
  /** Calls that the reader knows of. */
  readonly #known = new Set<string>();
  /** Addresses of the sources that the reader knows of. */
  readonly #sources = new Set<string>();

  /** The first part. `messageId` is the id that the message gets in the page. */
  *start(messageId?: string): Generator<string> {
    yield part({ type: 'start', ...(messageId !== undefined && { messageId }) });
  }

  *write(event: TurnEvent): Generator<string> {
    switch (event.type) {
      case 'text':
      case 'refusal':
        yield* this.#piece('text', event.text);
        break;
      case 'reasoning':
        yield* this.#piece('reasoning', event.text);
        break;
      case 'tool-use':
        yield* this.#openStep();
        yield* this.#closeBlock();
        this.#calls.set(event.index, event);
        yield part({ type: 'tool-input-start', toolCallId: event.id, toolName: event.name });
        break;
      case 'tool-arguments': {
        const call = this.#calls.get(event.index);
        if (call && event.text !== '')
          yield part({ type: 'tool-input-delta', toolCallId: call.id, inputTextDelta: event.text });
        break;
      }
      case 'reply':
        yield* this.#reply(event.message);
        break;
      case 'output':
        yield* this.#output(event);
        break;
      case 'approval':
        yield* this.#input(event.call, event.call.name);
        yield part({ type: 'tool-approval-request', approvalId: event.call.id, toolCallId: event.call.id });
        break;
      case 'finish':
        yield* this.#end();
        if (event.reason === 'aborted') yield part({ type: 'abort' });
        yield part({ type: 'finish', finishReason: FINISH[event.reason] ?? 'other' });
        break;
      case 'unknown':
        break;
      default:
        event satisfies never;
    }
  }

  /** The last part of a turn that failed. */
  *fail(message: string): Generator<string> {
    yield* this.#end();
    yield part({ type: 'error', errorText: message });
  }

  /** Closes what is open. */
  *#end(): Generator<string> {
    yield* this.#closeBlock();
    if (this.#step !== 'none') yield part({ type: 'finish-step' });
    this.#step = 'none';
  }

  *#piece(type: 'text' | 'reasoning', delta: string): Generator<string> {
    if (delta === '') return;
    yield* this.#openStep();
    if (this.#block?.type !== type) {
      yield* this.#closeBlock();
      this.#block = { type, id: String(++this.#blocks) };
      yield part({ type: `${type}-start`, id: this.#block.id });
    }
    yield part({ type: `${type}-delta`, id: this.#block.id, delta });
  }

  /** A step is a reply and the results of its calls. */
  *#openStep(): Generator<string> {
    if (this.#step === 'reply') return;
    yield* this.#end();
    this.#step = 'reply';
    this.#calls.clear();
    yield part({ type: 'start-step' });
  }

  *#closeBlock(): Generator<string> {
    if (this.#block) yield part({ type: `${this.#block.type}-end`, id: this.#block.id });
    this.#block = undefined;
  }

  /** The reply is complete, and so are its calls. */
  *#reply({ toolUses, origin, content }: Message): Generator<string> {
    yield* this.#closeBlock();
    const shown = content.flatMap((block) => shownWith(block, this.#sources));
    if (shown.length > 0) yield* this.#openStep();
    yield* shown;
    const names = new Map([...this.#calls.values()].map(({ id, name }) => [id, name]));
    // What was cut is never called.
    if (!origin.cut) for (const call of toolUses) yield* this.#input(call, names.get(call.id) ?? call.name);
    if (this.#step === 'reply') this.#step = 'replied';
  }

  *#input({ id, rawParameters, form }: ToolUseBlock, toolName: string): Generator<string> {
    if (this.#known.has(id)) return;
    this.#known.add(id);
    const text = form !== 'custom' && rawParameters.trim() === '' ? '{}' : rawParameters;
    const head = { toolCallId: id, toolName };
    if (form === 'custom') yield part({ type: 'tool-input-available', ...head }, ['input', JSON.stringify(text)]);
    else if (isJson(text)) yield part({ type: 'tool-input-available', ...head }, ['input', text]);
    else {
      const errorText = 'The arguments are not JSON';
      yield part({ type: 'tool-input-error', ...head, input: text, errorText });
    }
  }

  *#output({ callId, name, arguments: rawParameters, text, failed }: Extract<TurnEvent, { type: 'output' }>) {
    // A call of a turn before this one, which was approved since.
    yield* this.#input({ type: 'tool-use', id: callId, name, rawParameters, parameters: {} }, name);
    if (failed) yield part({ type: 'tool-output-error', toolCallId: callId, errorText: text });
    else {
      const output = /^\s*[[{]/.test(text) && isJson(text) ? text : JSON.stringify(text);
      yield part({ type: 'tool-output-available', toolCallId: callId }, ['output', output]);
    }
  }
}

/** What a block shows besides its words: an image or other file, and sources that are not known yet. */
function shownWith(block: ContentBlock, known: Set<string>): string[] {
  if (block.type === 'media') {
    const { mediaType, source } = block;
    // What a provider holds has no address.
    if (source.kind === 'file') return [];
    const url = source.kind === 'url' ? source.url : `data:${mediaType};base64,${source.data}`;
    return [part({ type: 'file', url, mediaType })];
  }
  if (block.type !== 'text') return [];
  return (block.citations ?? []).flatMap(({ url, title }) => {
    if (url === undefined || known.has(url)) return [];
    known.add(url);
    return [part({ type: 'source-url', sourceId: url, url, ...(title !== undefined && { title }) })];
  });
}

/** A value that a model or a tool wrote goes in by its exact text, so that no number is rounded. */
function part(fields: Readonly<Record<string, string>>, value?: readonly [name: string, json: string]): string {
  const text = JSON.stringify(fields);
  if (!value) return text;
  // In JSON, line ends stand between tokens only; in an event they would end the line.
  return `${text.slice(0, -1)},${JSON.stringify(value[0])}:${value[1].replace(/[\r\n]+/g, ' ')}}`;
}
