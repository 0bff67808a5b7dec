import { dialect, isJson, type Message, toolResult, user, writeRequest } from '@skein/core';
import fc from 'fast-check';
import { PROTOCOLS } from '../../../packages/core/test/corpus/recordings.ts';
import { readChunks } from '../../../packages/core/test/corpus/streamed.ts';
import { FIXTURES } from '../../../packages/core/test/fixtures/index.ts';
import { insert } from '../../../packages/core/test/properties/insert.ts';
import { outcome } from '../../../packages/core/test/properties/told.ts';
import {
  anywhere,
  unknownElement,
  unknownName,
  unknownValue,
} from '../../../packages/core/test/properties/unknown-json.ts';
import { mutated } from '../mutate.ts';
import { hold, refusal, type Target } from '../target.ts';

type Protocol = (typeof PROTOCOLS)[number];

/** Replies, streams and requests of the four protocols: read, or rejected as another protocol; what was read can be sent. */
export const targets: readonly Target[] = PROTOCOLS.flatMap((protocol) => {
  const fixtures = FIXTURES.filter((fixture) => fixture.dialect.id === protocol);
  const replies = fixtures.flatMap(({ reply, toolCallReply }) => [reply, toolCallReply]);
  const streams = fixtures.flatMap(({ sse, toolCallSse }) => [sse, toolCallSse]);
  const requests = fixtures.map(({ request }) => request);
  const d = dialect(protocol);
  return [
    {
      name: `reply of ${protocol}`,
      input: fc.oneof(mutated(replies), withUnknown(replies)),
      run: (text) =>
        allowed(() => {
          const { message, envelope } = d.readResponse(text);
          hold(isJson(envelope), 'the envelope is not JSON');
          return sent(protocol, message);
        }),
    },
    {
      name: `stream of ${protocol}`,
      input: mutated(streams),
      run: (text) =>
        allowed(() => {
          const bytes = new TextEncoder().encode(text);
          const whole = readChunks(protocol, [bytes]);
          const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
            bytes.subarray(at * 7, at * 7 + 7),
          );
          hold(outcome(whole) === outcome(readChunks(protocol, pieces)), 'pieces of 7 bytes give another reply');
          return `${whole.reply.message.origin.cut ? 'cut, ' : ''}${sent(protocol, whole.reply.message)}`;
        }),
    },
    {
      name: `request of ${protocol}`,
      input: fc.oneof(mutated(requests), withUnknown(requests)),
      run: (text) =>
        allowed(() => {
          const { messages } = d.readRequest(text);
          for (const message of messages) hold(isJson(message.raw), 'a message is not JSON');
          if (messages.length === 0) return 'no messages';
          const { body } = writeRequest(d, { model: 'some-model', messages });
          hold(isJson(body), 'the request is not JSON');
          return `${messages.length} messages`;
        }),
    },
  ];
});

function allowed(run: () => string): string {
  try {
    return run();
  } catch (error) {
    return refusal(error, ['ProtocolError']);
  }
}

function sent(protocol: Protocol, message: Message): string {
  hold(isJson(message.raw), 'the message is not JSON');
  const results = message.toolUses.map((call) => toolResult(call.id, 'the answer'));
  const messages = [user('Hello'), message, ...results, user('Go on')];
  const { body } = writeRequest(dialect(protocol), { model: 'some-model', messages });
  hold(isJson(body), 'the next request is not JSON');
  hold(body.includes('Hello') && body.includes('Go on'), 'the next request lacks what the user said');
  return [...new Set(message.content.map(({ type }) => type))].sort().join('+') || 'empty';
}

function withUnknown(texts: readonly string[]): fc.Arbitrary<string> {
  const insertion = fc.record({
    at: anywhere,
    name: unknownName,
    member: unknownValue,
    element: fc.oneof(unknownElement, unknownValue),
  });
  return fc.tuple(fc.constantFrom(...texts), insertion).map(([text, what]) => insert(text, 0, text.length, what).text);
}
