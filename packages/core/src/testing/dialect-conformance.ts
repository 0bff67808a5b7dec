import { readBlocks } from '../dialects/block-events.ts';
import {
  type Dialect,
  joinManifest,
  LossError,
  ProtocolError,
  type Reply,
  sse,
  type WrittenRequest,
  writeRequest,
} from '../dialects/index.ts';
import type { DialectServer } from '../dialects/serve.ts';
import { serving } from '../dialects/serve.ts';
import { findElements, findMembers, isJson, skipSpace, splice } from '../json/index.ts';
import { assistant, type Message, toolResult, user } from '../message/index.ts';

const MODEL = 'some-model';

/**
 * What every dialect promises, ours and others'. Run each case in the test runner of your choice.
 *
 * @example
 * for (const { name, run } of dialectConformance(myDialect, samples)) test(name, run);
 */
export function dialectConformance(dialect: Dialect, samples: DialectSamples): ConformanceCase[] {
  const write = (messages: readonly Message[], strict = false) =>
    writeRequest(dialect, { model: MODEL, messages, strict });
  // A dialect that says nothing of its other side is served like our own, which is checked as such.
  const other = serving(dialect);
  const { writeReply, writeStream, errorBody } = other.id === dialect.id ? other : ({} as Partial<DialectServer>);
  const head = { id: 'reply_1', model: MODEL, created: 1 };
  const foreign = (): Reply => ({ ...dialect.readResponse(samples.reply), message: assistant('Hello, “ü”\nand 😀') });
  const cases: Record<string, () => void> = {
    'its home provider speaks it': () => same(dialect.home.dialect, dialect.id, 'dialect of the home provider'),

    'a reply is kept as text and sent back as the same text': () => {
      const { message } = dialect.readResponse(samples.reply);
      check(message.text !== '', 'the sample reply has no text');
      const { body, losses } = write([user('Hello'), message, user('Go on')]);
      check(body.includes(innerText(message.raw)), 'the body does not hold the raw text');
      same(losses, [], 'losses');
    },

    'a message parsed from its raw text is the same message': () => {
      const { message } = dialect.readResponse(samples.reply);
      same(dialect.parseMessage(message.raw, message.origin).content, message.content, 'content');
    },

    'messages and views are frozen': () => {
      const { message } = dialect.readResponse(samples.reply);
      check(
        Object.isFrozen(message) && Object.isFrozen(message.content) && Object.isFrozen(message.origin),
        'something is not frozen',
      );
    },

    'a member that nobody knows survives in every object of the message': () => {
      const { message } = dialect.readResponse(samples.reply);
      for (const raw of withUnknownMembers(message.raw)) {
        const altered = dialect.parseMessage(raw, message.origin);
        same(altered.text, message.text, 'text');
        check(
          write([user('Hello'), altered, user('Go on')]).body.includes(innerText(raw)),
          `the body does not hold ${raw}`,
        );
      }
    },

    'the streamed reply looks like the unstreamed one': () => {
      const streamed = streamedReply(dialect, samples, samples.stream.length);
      const whole = dialect.readResponse(samples.reply);
      same(streamed.message.text, whole.message.text, 'text');
      same(streamed.message.role, whole.message.role, 'role');
      same(streamed.stop.reason, whole.stop.reason, 'stop');
      check(streamed.message.origin.cut === undefined, 'a complete stream is marked as cut');
    },

    'a stream cut after any event is kept, marked and can be answered': () => {
      for (let count = 0; count < samples.stream.length - 1; count++) {
        const { message } = streamedReply(dialect, samples, count);
        check(isJson(message.raw), `after ${count} events the raw text is not JSON`);
        check(
          isJson(write([user('Hello'), message, user('Go on')]).body),
          `after ${count} events the body is not JSON`,
        );
      }
      check(streamedReply(dialect, samples, 0).message.origin.cut === true, 'an empty stream is not marked as cut');
    },

    'events that nobody knows are handed out and change nothing': () => {
      const reader = dialect.readStream();
      const events = samples.stream.flatMap(([event, data]) => [
        ...reader.push(event, data),
        ...reader.push('news', '{"new":1}'),
        ...reader.push(undefined, 'no json'),
      ]);
      check(
        events.some((event) => event.type === 'unknown'),
        'no unknown event was handed out',
      );
      same(reader.finish().message.text, streamedReply(dialect, samples, samples.stream.length).message.text, 'text');
    },

    'text that is not the protocol is an error that carries the text': () => {
      for (const text of [samples.notThisProtocol, 'not json', '', '[]']) {
        const error = thrownBy(() => dialect.readResponse(text));
        check(
          error instanceof ProtocolError && error.body === text,
          `readResponse(${JSON.stringify(text)}) gave no ProtocolError with the body`,
        );
      }
    },

    'a written request reads back as the same conversation': () => {
      const call = callReply(dialect, samples);
      const messages = [
        user('Hello'),
        call,
        toolResult(call.toolUses[0]!.id, 'the answer'),
        assistant('Done'),
        user('Thanks'),
      ];
      const read = dialect.readRequest(write(messages).body).messages;
      same(
        read.flatMap((message) => message.toolUses.map((use) => use.name)),
        messages.flatMap((message) => message.toolUses.map((use) => use.name)),
        'calls',
      );
      same(read.flatMap((message) => message.toolResults).length, 1, 'number of results');
      same(
        read.filter((message) => message.role === 'user').map((message) => message.text),
        ['Hello', 'Thanks'],
        'user texts',
      );
      check(
        dialect.readRequest(samples.request).messages.some((message) => message.role === 'user'),
        'the sample request has no user message',
      );
    },

    'joining the manifest gives the body again': () => {
      const messages = [user('Hello'), callReply(dialect, samples), user('Never mind')];
      const { body, manifest } = write(messages);
      same(
        joinManifest(manifest, (index) => messages[index]!.raw),
        body,
        'joined manifest',
      );
    },

    'the next request extends the last one': () => {
      const call = callReply(dialect, samples);
      const first = [user('Hello')];
      const second = [...first, call, toolResult(call.toolUses[0]!.id, 'the answer')];
      const third = [...second, dialect.readResponse(samples.reply).message, user('And now?')];
      const [a, b, c] = [first, second, third].map((messages) => elementsText(write(messages), messages));
      check(b!.startsWith(a!) && c!.startsWith(b!), 'the elements of an earlier request changed');
    },

    'a call without a result gets one that says so': () => {
      const { body, losses } = write([user('Hello'), callReply(dialect, samples), user('Never mind')]);
      same(dialect.readRequest(body).messages.flatMap((message) => message.toolResults).length, 1, 'number of results');
      check(
        losses.some((loss) => loss.reason === 'tool-unanswered' && loss.kind === 'synthesised'),
        'the loss is not reported',
      );
    },

    'foreign reasoning is never sent as text': () => {
      const thinker = assistant([
        { type: 'reasoning', text: 'a secret thought', redacted: false },
        { type: 'text', text: 'Hi' },
      ]);
      const { body, losses } = write([user('Hello'), thinker, user('Go on')]);
      const read = dialect.readRequest(body).messages;
      check(!read.some((message) => message.text.includes('a secret thought')), 'the thought is sent as text');
      check(
        dialect.id === 'blocks' || losses.some((loss) => loss.reason === 'foreign-reasoning'),
        'the loss is not reported',
      );
    },

    'strict mode throws instead of dropping': () => {
      const empty = [
        user('Hello'),
        dialect.parseMessage(streamedReply(dialect, samples, 0).message.raw, { cut: true }),
        user('Go on'),
      ];
      if (write(empty).losses.some((loss) => loss.kind === 'dropped')) {
        check(thrownBy(() => write(empty, true)) instanceof LossError, 'no LossError was thrown');
      }
    },
  };
  if (writeReply)
    Object.assign(cases, {
      'a reply of its own is written in its exact text': () => {
        const reply = dialect.readResponse(samples.reply);
        const { body, losses } = writeReply({ ...head, ...reply });
        same(dialect.readResponse(body).message.raw, reply.message.raw, 'raw text');
        same(losses, [], 'losses');
      },

      'a foreign reply is written as a response that says the same': () => {
        const reply = foreign();
        same(dialect.readResponse(writeReply({ ...head, ...reply }).body).message.text, reply.message.text, 'text');
      },

      'what a response cannot carry is reported': () => {
        const odd = assistant([
          { type: 'unknown', native: '{"type":"odd"}' },
          { type: 'text', text: 'Hi' },
        ]);
        const { body, losses } = writeReply({ ...head, ...foreign(), message: odd });
        const isThere = dialect.readResponse(body).message.content.some((block) => block.type === 'unknown');
        check(isThere || losses.some((loss) => loss.kind === 'dropped'), 'an unknown block is lost without a note');
      },
    });
  if (writeStream)
    Object.assign(cases, {
      'a stream is written from its events, and reads as the same reply': () => {
        const reader = readBlocks(dialect);
        const writer = writeStream({ ...head, dialect: dialect.id });
        const told = samples.stream.flatMap(([event, data]) => reader.push(event, data));
        const { reply, events } = reader.finish();
        const text = [...told, ...events].map((event) => writer.push(event)).join('');
        const read = readText(dialect, text + writer.finish(reply));
        same(read.message.text, reply.message.text, 'text');
        same(read.message.origin.cut, undefined, 'mark of a cut stream');
      },

      'a stream is written from a whole reply of another dialect': () => {
        const reply = foreign();
        same(readText(dialect, writeStream(head).finish(reply)).message.text, reply.message.text, 'text');
      },

      'a stream that fails says so, and ends': () => {
        const writer = writeStream(head);
        const text = writer.fail({ status: 500, code: 'server_error', message: 'Nobody is there' });
        check(text.includes('Nobody is there'), 'the text of the failure is not sent');
        check(readText(dialect, text).stop.reason !== 'end', 'a failed stream reads as a complete one');
      },
    });
  if (errorBody)
    Object.assign(cases, {
      'an error has the form of the protocol': () => {
        const body = errorBody({ status: 404, code: 'not_found', message: 'No such model' });
        check(JSON.stringify(body).includes('No such model'), 'the text of the error is not in its body');
        check(thrownBy(() => dialect.readResponse(JSON.stringify(body))) !== undefined, 'an error reads as a reply');
      },
    });
  return Object.entries(cases).map(([name, run]) => ({ name: `${dialect.id}: ${name}`, run }));
}

function readText(dialect: Dialect, text: string): Reply {
  const reader = dialect.readStream();
  const splitter = (dialect.framing ?? sse).split((event, data) => void reader.push(event, data));
  splitter.push(text);
  splitter.end();
  return reader.finish();
}

function streamedReply(dialect: Dialect, samples: DialectSamples, count: number): Reply {
  const reader = dialect.readStream();
  for (const [event, data] of samples.stream.slice(0, count)) reader.push(event, data);
  return reader.finish();
}

function callReply(dialect: Dialect, samples: DialectSamples): Message {
  const { message } = dialect.readResponse(samples.toolCall);
  check(message.toolUses.length === 1, 'the sample tool call has not exactly one call');
  return message;
}

function elementsText(written: WrittenRequest, messages: readonly Message[]): string {
  return joinManifest({ ...written.manifest, head: '', tail: '' }, (index) => messages[index]!.raw);
}

/** A list of items is sent as its items. */
function innerText(raw: string): string {
  return raw.startsWith('[') ? raw.slice(1, -1) : raw;
}

/** The text once for each object in it, with one more member there. */
function withUnknownMembers(raw: string): string[] {
  const added = '"x_new" : [1.0, {"a": 2512292042121000001}]';
  return objectStarts(raw, skipSpace(raw, 0)).map((start) => {
    const separator = findMembers(raw, start).length > 0 ? ',' : '';
    return splice(raw, [{ start: start + 1, end: start + 1, text: added + separator }]);
  });
}

function objectStarts(text: string, start: number): number[] {
  if (text[start] === '[') return findElements(text, start).flatMap((item) => objectStarts(text, item.start));
  if (text[start] !== '{') return [];
  return [start, ...findMembers(text, start).flatMap((member) => objectStarts(text, member.start))];
}

/** What a protocol must show for its dialect to be checked. All of it is written by hand, in the protocol's own words. */
export interface DialectSamples {
  /** A response whose message has text. */
  readonly reply: string;
  /** The same reply as server-sent events, with the end that the protocol has. */
  readonly stream: readonly (readonly [event: string | undefined, data: string])[];
  /** A response whose message calls one tool. */
  readonly toolCall: string;
  /** A request with a user message. */
  readonly request: string;
  /** Response text that is valid JSON, but not this protocol. */
  readonly notThisProtocol: string;
}

/** One thing that must hold. `run` throws when it does not. */
export interface ConformanceCase {
  readonly name: string;
  run(): void;
}

function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(a === b, `${what}: expected ${b}, got ${a}`);
}

/** The error that `run` throws. */
function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
