import type { ServerResponse } from 'node:http';
import { decodeSse, find, type Loss, type Reply, splice } from '@skein/core';
import {
  type BlockEvent,
  createRunRewriter,
  type LossNote,
  type ReplyHead,
  type ServedError,
} from '@skein/core/dialect';
import { SANDBOX } from '../../proxy/headers.ts';
import type { NativeAnswer, UpstreamAnswer } from '../request/exchange.ts';
import type { ClientCall, Target } from './client-call.ts';

/** Where the text of an answer goes: the response of an HTTP request, or a message of a WebSocket. */
export interface AnswerSink {
  /** Sends the head once, before the first text. */
  begin(status: number, type: string, headers: Readonly<Record<string, string>>): void;
  /** Returns a promise where more may not be written yet; it resolves then, and rejects when the client has left. */
  write(text: string): Promise<void> | undefined;
  end(text: string): void;
}

/** What is called while an answer goes to the client. */
export interface AnswerHooks {
  /**
   * The reply is complete, and its closing event, the last text, is not sent yet: stores both, because the client may ask another server
   * at once. Never rejects.
   */
  readonly keep: (reply: Reply, last: string, losses: readonly LossNote[]) => Promise<void>;
  /** The last text is on its way to the client. */
  readonly sent: (reply: Reply, losses: readonly LossNote[]) => void;
  /**
   * Text that is sent to the client, but for the last. With `isMore`, it only goes on with a block's text: it names no id for the
   * first time.
   */
  readonly onText: (text: string, isMore?: boolean) => void;
  /** What the client is told of a failure in the middle of a stream. */
  readonly describe: (error: unknown) => ServedError;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a client's answer is written from. */
export interface AnswerSource {
  /** The dialect of the events. */
  readonly dialect: string;
  readonly events: AsyncIterable<readonly BlockEvent[]>;
  reply(): Reply;
}

/** Writes an answer as a whole response of the client's protocol. */
export async function answerWhole(
  call: ClientCall,
  head: ReplyHead,
  source: AnswerSource,
  sink: AnswerSink,
  hooks: AnswerHooks,
): Promise<void> {
  const reply = source.reply();
  const { body, losses } = call.server.writeReply!({ ...head, ...reply });
  await sendWhole({ reply, body, losses }, sink, hooks);
}

/** Writes an answer as a stream of the client's protocol, event by event, at the pace of the client. */
export async function answerStream(
  call: ClientCall,
  head: ReplyHead,
  source: AnswerSource,
  sink: AnswerSink,
  hooks: AnswerHooks,
): Promise<void> {
  const asList = isList(call);
  const writer = call.server.writeStream!({ ...head, dialect: source.dialect, asList });
  let last: BlockPiece | undefined;
  const texts = mapEvents(source.events, (events) => {
    let text = '';
    let isMore = true;
    for (const event of events) {
      isMore &&= isPiece(event) && last?.type === event.type && last.index === event.index;
      last = isPiece(event) ? event : undefined;
      text += writer.push(event);
    }
    return { text, isMore };
  });
  const finish = () => {
    const reply = source.reply();
    return { reply, last: writer.finish(reply), losses: writer.losses };
  };
  await sendStream({ texts, finish, fail: (error) => writer.fail(error), asList }, sink, hooks);
}

/**
 * Hands on an answer of a provider that speaks the client's protocol: its own text, with the model as the client named it.
 * Of a stream, the event that says that the reply is complete is held back, with what follows it, until the end.
 */
export async function answerRelayed(
  call: ClientCall,
  head: ReplyHead,
  { native, reply }: { readonly native: NativeAnswer; reply(): Reply },
  sink: AnswerSink,
  hooks: AnswerHooks,
): Promise<void> {
  if (!call.isStream)
    return sendWhole({ reply: reply(), body: modelWriter(call)(native.text), losses: [] }, sink, hooks);
  const asList = isList(call);
  const rename = modelWriter(call);
  const closes = closingLine(call);
  let held = '';
  let count = 0;
  const write = (event: string | undefined, data: string) => {
    const text = rename(data);
    if (asList) return `${count++ === 0 ? '[' : ',\r\n'}${text}`;
    return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
  };
  const texts = mapEvents(native.portions, (portion) => {
    let text = '';
    const take = (event: string | undefined, data: string) => {
      if (held !== '' || call.api.closing.test(data)) held += write(event, data);
      else text += write(event, data);
    };
    if ('data' in portion) take(portion.event, portion.data);
    else {
      // Such events do not close a reply, and name nothing that the one before them did not.
      const run = portion.run && held === '' && !asList ? rename.run(portion.run, portion.text) : undefined;
      if (run !== undefined) return { text: run, isMore: true };
      const isPlain = held === '' && !asList && !closes.test(portion.text);
      const renamed = isPlain ? rename.all(portion.text) : undefined;
      if (renamed) return renamed;
      const cutter = decodeSse(take);
      cutter.push(portion.text);
    }
    return { text, isMore: false };
  });
  const finish = () => ({ reply: reply(), last: held + (asList ? ']' : ''), losses: [] });
  const fail = (error: ServedError) => call.server.writeStream!({ ...head, asList }).fail(error);
  await sendStream({ texts, finish, fail, asList }, sink, hooks);
}

type BlockPiece = Extract<BlockEvent, { type: 'text' | 'reasoning' | 'refusal' }>;

function isPiece(event: BlockEvent): event is BlockPiece {
  return event.type === 'text' || event.type === 'reasoning' || event.type === 'refusal';
}

async function* mapEvents<T>(events: AsyncIterable<T>, write: (event: T) => SentText): AsyncGenerator<SentText> {
  for await (const event of events) yield write(event);
}

async function sendWhole(
  { reply, body, losses }: { readonly reply: Reply; readonly body: string; readonly losses: readonly LossNote[] },
  sink: AnswerSink,
  hooks: AnswerHooks,
): Promise<void> {
  await hooks.keep(reply, body, losses);
  // With its length, head and body go out in one write.
  const length = String(Buffer.byteLength(body));
  sink.begin(200, 'application/json', { ...hooks.headers, 'content-length': length });
  sink.end(body);
  hooks.sent(reply, losses);
}

/** A text for the client, and what `onText` is told of it. */
interface SentText {
  readonly text: string;
  readonly isMore: boolean;
}

/** A stream as the client gets it. */
interface OutgoingStream {
  readonly texts: AsyncIterable<SentText>;
  /** The reply and the last text, after all others. */
  finish(): { readonly reply: Reply; readonly last: string; readonly losses: readonly LossNote[] };
  fail(error: ServedError): string;
  readonly asList: boolean;
}

async function sendStream(
  { texts, finish, fail, asList }: OutgoingStream,
  sink: AnswerSink,
  hooks: AnswerHooks,
): Promise<void> {
  sink.begin(200, asList ? 'application/json' : 'text/event-stream; charset=utf-8', hooks.headers);
  try {
    for await (const { text, isMore } of texts) {
      if (text === '') continue;
      hooks.onText(text, isMore);
      const waiting = sink.write(text);
      if (waiting) await waiting;
    }
  } catch (error) {
    if (error instanceof ClientLeft) throw error;
    const text = fail(hooks.describe(error));
    hooks.onText(text);
    sink.end(text);
    throw new ToldFailure(error);
  }
  const { reply, last, losses } = finish();
  await hooks.keep(reply, last, losses);
  sink.end(last);
  hooks.sent(reply, losses);
}

/** Finds the event that says that the reply is complete in a text of whole events. */
function closingLine({ api: { closing } }: ClientCall): RegExp {
  const { source } = closing;
  return new RegExp(source.startsWith('^') ? `^data: ?${source.slice(1)}` : source, 'm');
}

interface ModelWriter {
  (text: string): string;
  /** The same of events that only go on with the same text; undefined where they differ in more. */
  readonly run: ReturnType<typeof createRunRewriter>;
  /** The same of a text of whole events; undefined where they have to be looked at one by one. */
  all(text: string): SentText | undefined;
}

/** Writes a response, or events of one, with the model's name as the client gave it. */
function modelWriter({ api, model }: ClientCall): ModelWriter {
  /** The last event up to the model's name: most events of a stream begin like the one before. */
  let known = { before: '', after: '' };
  const all = (text: string): SentText | undefined => {
    if (model === undefined || !text.includes('"model"')) return { text, isMore: !text.includes(ID_MEMBER) };
    if (known.before === '') return undefined;
    const [first, ...rest] = text.split(`data: ${known.before}`);
    const isEach = first === '' && rest.every((one) => one.indexOf('\n\n') === one.length - 2);
    if (!isEach) return undefined;
    const isMore = !rest.some((one) => one.includes(ID_MEMBER));
    return { text: rest.map((one) => `data: ${known.after}${one}`).join(''), isMore };
  };
  const write = (text: string) => {
    if (model === undefined || !text.includes('"model"')) return text;
    if (known.before !== '' && text.startsWith(known.before)) return known.after + text.slice(known.before.length);
    for (const [at, path] of api.modelPaths.entries()) {
      const range = find(text, path);
      if (!range) continue;
      const after = splice(text.slice(0, range.end), [{ ...range, text: JSON.stringify(model) }]);
      if (at === 0) known = { before: text.slice(0, range.end), after };
      return after + text.slice(range.end);
    }
    return text;
  };
  const writeRun = createRunRewriter((event) => event.replace(/(?<=^data: ).*/m, (data) => write(data)));
  const run: ModelWriter['run'] = (events, text) => (text.includes('"model"') ? writeRun(events, text) : text);
  return Object.assign(write, { all, run });
}

/** The end of every name of a member with an id, and the beginning of its value. */
const ID_MEMBER = 'id":"';

/** The id of the response that an exchange gives, as the client's vendor makes them. */
export function responseIdFor({ api }: Pick<ClientCall, 'api'>, exchange: string): string {
  return api.makeId(Buffer.from(exchange).toString('hex'));
}

/** The exchange that a response's id was made from; undefined for an id that is not the gateway's. */
export function exchangeOfResponse(responseId: string): string | undefined {
  const hex = /(?:^|[_-])((?:[0-9a-f]{2})+)$/.exec(responseId)?.[1];
  const exchange = hex && Buffer.from(hex, 'hex').toString();
  return exchange && /^[0-9a-z]{9}\.[0-9a-z]{4,}\..+$/.test(exchange) ? exchange : undefined;
}

/** Some APIs stream a JSON array unless they are asked for events. */
function isList({ api, query }: ClientCall): boolean {
  return api.streamsLists === true && new URLSearchParams(query).get('alt') !== 'sse';
}

/** Sends an answer over HTTP. */
export function httpSink(answer: ServerResponse): AnswerSink {
  return {
    begin(status, type, headers) {
      answer.writeHead(status, [
        ...['content-type', type],
        ...(type.startsWith('text/event-stream') ? ['cache-control', 'no-cache'] : []),
        ...Object.entries(headers).flat(),
        ...SANDBOX,
      ]);
    },
    write(text) {
      if (answer.write(text)) return undefined;
      return new Promise((resolve, reject) => {
        const leave = () => reject(new ClientLeft());
        if (answer.destroyed) return leave();
        answer.once('close', leave);
        answer.once('drain', () => {
          answer.off('close', leave);
          resolve();
        });
      });
    },
    end: (text) => void answer.end(text),
  };
}

/** A stream failed, and the client was told so in the stream. */
export class ToldFailure extends Error {
  constructor(cause: unknown) {
    super('the stream failed', { cause });
  }
}

/** The client closed its connection before the end of the answer. */
export class ClientLeft extends Error {
  constructor() {
    super('the client left');
  }
}

/** The headers of an answer that say what the gateway did: which model answered, what was lost, who did not answer. */
export function skeinHeaders(
  { target, losses, skipped, rateLimits }: UpstreamAnswer,
  exchange: string,
): Record<string, string> {
  // What was added, such as cache markers, is told in the recording.
  const lost = losses.filter(({ kind }) => kind !== 'synthesised');
  return {
    ...rateLimits,
    'x-skein-exchange': exchange,
    'x-skein-model': headerName(target),
    ...(lost.length > 0 && { 'x-skein-losses': summarizeLosses(lost) }),
    ...(skipped.length > 0 && {
      'x-skein-fallback': skipped.map((one) => `${headerName(one.target)} ${one.reason}`).join(', '),
    }),
  };
}

/** A model as a header can carry it: clients choose its name, and any other character is percent-encoded. */
export function headerName({ provider, model }: Target): string {
  const isPlain = /^[\x21-\x7e]*$/.test(model);
  return `${provider.id}/${isPlain ? model : encodeURIComponent(model.toWellFormed())}`;
}

/** How many things were lost, and why: `3; parameter=2, prefix-bound=1`. */
function summarizeLosses(losses: readonly (Loss | LossNote)[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of losses) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return `${losses.length}; ${[...counts].map(([reason, count]) => `${reason}=${count}`).join(', ')}`;
}
