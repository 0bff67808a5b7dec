import type { ServerResponse } from 'node:http';
import { find, type Reply, splice } from '@skein/core';
import type { LossNote, ReplyHead, ServedError, WriteStreamOptions } from '@skein/core/dialect';
import { SANDBOX } from '../proxy/headers.ts';
import type { ClientCall } from './client-call.ts';
import type { NativeEvent, UpstreamAnswer, UpstreamEvent } from './exchange.ts';

/** Where the text of an answer goes: the response of an HTTP request, or a message of a WebSocket. */
export interface AnswerSink {
  /** Sends the head once, before the first text. */
  begin(status: number, type: string, headers: Readonly<Record<string, string>>): void;
  /** Resolves when more may be written. Rejects when the client has left. */
  write(text: string): Promise<void>;
  end(text: string): void;
}

/** What is called while an answer goes to the client. */
export interface AnswerHooks {
  /**
   * The reply is complete, and its closing event, the last text, is not sent yet: what is awaited here is stored by then.
   */
  readonly beforeEnd: (reply: Reply, last: string, losses: readonly LossNote[]) => Promise<void>;
  /** Text that was sent to the client. */
  readonly onText: (text: string) => void;
  /** What the client is told of a failure in the middle of a stream. */
  readonly describe: (error: unknown) => ServedError;
  readonly headers: Readonly<Record<string, string>>;
}

/** Writes an upstream's answer as a whole response of the client's protocol. */
export async function answerWhole(
  call: ClientCall,
  head: ReplyHead,
  upstream: UpstreamAnswer,
  sink: AnswerSink,
  hooks: AnswerHooks,
): Promise<void> {
  const reply = upstream.reply();
  const { body, losses } = isRelayed(upstream)
    ? { body: withModel(upstream.text ?? '', call), losses: [] }
    : call.server.writeReply!({ ...head, ...reply });
  await hooks.beforeEnd(reply, body, losses);
  sink.begin(200, 'application/json', hooks.headers);
  hooks.onText(body);
  sink.end(body);
}

/** Writes an upstream's answer as a stream of the client's protocol, event by event, at the pace of the client. */
export async function answerStream(
  call: ClientCall,
  head: ReplyHead,
  upstream: UpstreamAnswer,
  sink: AnswerSink,
  hooks: AnswerHooks,
): Promise<void> {
  const asList = isList(call);
  const options = { ...head, dialect: upstream.dialect.id, asList };
  const writer = isRelayed(upstream) ? relayEvents(call, options) : translateEvents(call, options);
  const send = async (text: string) => {
    if (text === '') return;
    hooks.onText(text);
    await sink.write(text);
  };
  sink.begin(200, asList ? 'application/json' : 'text/event-stream; charset=utf-8', hooks.headers);
  try {
    for await (const event of upstream.events) await send(writer.push(event));
  } catch (error) {
    if (error instanceof ClientLeft) throw error;
    const text = writer.fail(hooks.describe(error));
    hooks.onText(text);
    sink.end(text);
    throw error;
  }
  const reply = upstream.reply();
  const text = writer.finish(reply);
  await hooks.beforeEnd(reply, text, writer.losses());
  hooks.onText(text);
  sink.end(text);
}

/** Writes the events of a stream as text for the client. */
interface EventWriter {
  push(event: UpstreamEvent): string;
  finish(reply: Reply): string;
  fail(error: ServedError): string;
  losses(): readonly LossNote[];
}

function translateEvents({ server }: ClientCall, options: WriteStreamOptions): EventWriter {
  const writer = server.writeStream!(options);
  return {
    push({ blocks }) {
      let text = '';
      for (const event of blocks) text += writer.push(event);
      return text;
    },
    finish: (reply) => writer.finish(reply),
    fail: (error) => writer.fail(error),
    losses: () => writer.losses,
  };
}

/**
 * Hands on the provider's own events, with the model as the client named it. The one that says that the reply is complete is
 * held back, with what follows it, until the end.
 */
function relayEvents(call: ClientCall, options: WriteStreamOptions): EventWriter {
  let held = '';
  let count = 0;
  const write = ({ event, data }: NativeEvent) => {
    const text = withModel(data, call);
    if (options.asList) return `${count++ === 0 ? '[' : ',\r\n'}${text}`;
    return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
  };
  return {
    push({ native }) {
      if (!native) return '';
      const text = write(native);
      if (held === '' && !call.api.closing.test(native.data)) return text;
      held += text;
      return '';
    },
    finish: () => held + (options.asList ? ']' : ''),
    fail: (error) => call.server.writeStream!(options).fail(error),
    losses: () => [],
  };
}

/** Whether the client gets the provider's own text, because it speaks the same protocol. */
function isRelayed({ request }: UpstreamAnswer): boolean {
  return request.body !== undefined;
}

/** A response or an event of one with the model's name as the client gave it. */
function withModel(text: string, { api, model }: ClientCall): string {
  if (model === undefined || !text.includes('"model"')) return text;
  for (const path of api.modelPaths) {
    const range = find(text, path);
    if (range) return splice(text, [{ ...range, text: JSON.stringify(model) }]);
  }
  return text;
}

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
  const left = new Promise<never>((_, reject) => {
    answer.once('close', () => {
      if (!answer.writableFinished) reject(new ClientLeft());
    });
  });
  left.catch(() => undefined);
  return {
    begin(status, type, headers) {
      answer.writeHead(status, [
        ...['content-type', type],
        ...(type.startsWith('text/event-stream') ? ['cache-control', 'no-cache'] : []),
        ...Object.entries(headers).flat(),
        ...SANDBOX,
      ]);
    },
    async write(text) {
      if (!answer.write(text)) await Promise.race([new Promise((drained) => answer.once('drain', drained)), left]);
    },
    end: (text) => void answer.end(text),
  };
}

/** The client closed its connection before the end of the answer. */
class ClientLeft extends Error {
  constructor() {
    super('the client left');
  }
}
