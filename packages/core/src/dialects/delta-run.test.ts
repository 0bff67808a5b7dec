import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs as sharedRuns } from '../../../../scripts/test-shares.ts';
import { anthropicMessages, googleGenerateContent, openaiChat, openaiResponses } from '../index.ts';
import { readBlocks } from './block-events.ts';
import { addEvents, createRunRewriter, readRun, readSse, tellRun } from './delta-run.ts';
import type { Dialect } from './dialect.ts';
import { googleInteractions } from './google-interactions/index.ts';
import { serving } from './serve.ts';
import { cutSse, gatherSse } from './sse.ts';
import type { StreamDelta, StreamEvent } from './stream.ts';

/** A stream of one dialect: what comes first, and the event of one piece. */
interface Sample {
  readonly dialect: Dialect;
  readonly start: readonly string[];
  delta(json: string, place: number, padding: string): string;
}

const chat = (delta: string, padding: string) =>
  `data: {"id":"chatcmpl-1","model":"a.b","choices":[{"index":0,"delta":${delta},"finish_reason":null}],"usage":null,"obfuscation":"${padding}"}`;

const SAMPLES: readonly Sample[] = [
  {
    dialect: anthropicMessages,
    start: [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":1}}}',
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}',
      'event: content_block_start\ndata: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}',
    ],
    delta: (json, place, padding) => {
      const field = place === 0 ? 'thinking' : 'text';
      return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${place},"delta":{"type":"${field}_delta","${field}":${json}}${' '.repeat(padding.length)}}`;
    },
  },
  {
    dialect: openaiChat,
    start: [chat('{"role":"assistant","content":""}', 'x')],
    delta: (json, place, padding) => chat(`{"${place === 0 ? 'reasoning_content' : 'content'}":${json}}`, padding),
  },
  {
    dialect: openaiResponses,
    start: [
      'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","status":"in_progress","output":[]}}',
      'event: response.output_item.added\ndata: {"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"i","type":"message","status":"in_progress","content":[],"role":"assistant"}}',
    ],
    delta: (json, place, padding) =>
      `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":${padding.length + 2},"item_id":"i","output_index":0,"content_index":${place},"delta":${json},"logprobs":[],"obfuscation":"${padding}"}`,
  },
  {
    dialect: googleGenerateContent,
    start: [],
    delta: (json, place, padding) =>
      `data: {"candidates": [{"content": {"parts": [{"text": ${json}${place === 0 ? ',"thought": true' : ''}}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 2,"candidatesTokenCount": ${padding.length}},"modelVersion": "gemini-2.5-pro","responseId": "r"}`,
  },
  {
    dialect: googleInteractions,
    start: [
      'event: step.start\ndata: {"index":0,"step":{"type":"model_output"},"event_type":"step.start"}',
      'event: step.start\ndata: {"index":1,"step":{"type":"model_output"},"event_type":"step.start"}',
    ],
    delta: (json, place) =>
      `event: step.delta\ndata: {"index":${place},"delta":{"text":${json},"type":"text"},"event_type":"step.delta"}`,
  },
];

/** What only looks like a part of a stream, stands between its events, or ends them in another way. */
const STRANGERS = [
  ': comment',
  '"x",',
  'event: content_block_delta',
  'event: error',
  'data: [DONE]',
  'data: {"error":{"message":"no"}}',
  'event: ping\ndata: {"type": "ping"}',
  '\u2028data: {}',
  'data: "\u0001"',
];

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('"', '\\', '","', '\n', '\u2028', '\u0001', '$<text>', '🙂', ' and so on', ''),
);
/** The same string, spelled as the printer does, or with more escapes than needed. */
const json = fc.tuple(text, fc.boolean()).map(([value, isOdd]) => {
  const printed = JSON.stringify(value);
  return isOdd
    ? printed.replace(/[<>a/]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    : printed;
});
const event = fc.oneof(
  { weight: 40, arbitrary: fc.record({ json, place: fc.constant(1), padding: fc.stringMatching(/^\w{0,9}$/) }) },
  { weight: 2, arbitrary: fc.record({ json, place: fc.nat({ max: 1 }), padding: fc.constant('') }) },
  { weight: 1, arbitrary: fc.constantFrom(...STRANGERS) },
);
/** A change of one character somewhere. */
const damage = fc.option(
  fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), by: fc.constantFrom('', '"', '\n', '\\', 'x') }),
);

const isDelta = (one: StreamEvent): one is StreamDelta => one.type !== 'boundary' && one.type !== 'error';

/** Reads texts of whole events, all at once where that is possible. Returns what was told, and how many runs there were. */
function read(dialect: Dialect, texts: readonly string[], allowsRuns: boolean) {
  const reader = dialect.readStream();
  const told: StreamDelta[] = [];
  let runs = 0;
  for (const whole of texts) {
    const run = allowsRuns ? readRun(reader.usual?.(), whole) : undefined;
    if (run) {
      runs++;
      told.push(...tellRun(run));
    } else
      cutSse(whole, (name, data) => {
        told.push(...reader.push(name, data).filter(isDelta));
      });
  }
  const { message, alternatives, ...reply } = reader.finish();
  return { runs, told, reply, raw: message.raw, cut: message.origin.cut, alternatives: alternatives.length };
}

/** The events that a client of another protocol gets, by value. With `isGathered`, pieces that come together are written together. */
function translate(dialect: Dialect, client: Dialect, texts: readonly string[], isGathered: boolean) {
  const reader = readBlocks(dialect);
  const writer = serving(client).writeStream!({ id: 'r', model: 'm', created: 1 });
  const events = texts.flatMap((one) => reader.pushText(one, isGathered));
  const end = reader.finish();
  const written = [...events, ...end.events].map((one) => writer.push(one));
  const seen: unknown[] = [];
  cutSse([...written, writer.finish(end.reply)].join(''), (name, data) =>
    seen.push([name, data === '[DONE]' ? data : JSON.parse(data)]),
  );
  return seen;
}

describe.each(SAMPLES)('$dialect.id: deltas that are read at once', ({ dialect, start, delta }) => {
  it('are what they are one by one, whatever stands between them', () => {
    let runs = 0;
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 20, maxLength: 60 }),
        fc.constantFrom('\n', '\r\n'),
        fc.nat({ max: 4000 }),
        damage,
        (events, end, size, hurt) => {
          const opening = [...start, ...['"One "', '"two "'].map((one) => delta(one, 1, ''))];
          const all = events.map((one) => (typeof one === 'string' ? one : delta(one.json, one.place, one.padding)));
          const lines = [...opening, ...all].map((one) => `${one.replaceAll('\n', end)}${end}${end}`).join('');
          const at = Math.floor((hurt?.at ?? 1) * lines.length);
          const stream = hurt ? lines.slice(0, at) + hurt.by + lines.slice(at + 1) : lines;
          const texts: string[] = [];
          const decoder = gatherSse((whole) => {
            for (let from = 0; from < whole.length; ) {
              const next = whole.indexOf('\n\n', from + size) + 2;
              texts.push(whole.slice(from, next > 1 ? next : undefined));
              from = next > 1 ? next : whole.length;
            }
          });
          decoder.push(stream);
          decoder.end();
          const { runs: count, ...seen } = read(dialect, texts, true);
          const { runs: none, ...expected } = read(dialect, texts, false);
          runs += count;
          expect(none).toBe(0);
          expect(seen).toEqual(expected);
          const reader = dialect.readStream();
          const told: StreamEvent[] = [];
          const whole = readSse(reader, (some) => told.push(...some));
          whole.push(stream);
          whole.end();
          expect(told.filter(isDelta)).toEqual(expected.told);
          expect(reader.finish().message.raw).toBe(expected.raw);
          for (const client of [openaiChat, anthropicMessages, openaiResponses])
            expect(translate(dialect, client, texts, true)).toEqual(translate(dialect, client, texts, false));
        },
      ),
      { numRuns: sharedRuns(150) },
    );
    expect(runs).toBeGreaterThan(20);
  });
});

it('a run with other words around its pieces is what its events are one by one', () => {
  const rounds = sharedRuns(150);
  let rewritten = 0;
  fc.assert(
    fc.property(
      fc.array(fc.record({ json, padding: fc.stringMatching(/^\w{0,2}$/) }), { minLength: 1, maxLength: 40 }),
      fc.constantFrom('gpt', '$&$1$<text>', 'm'),
      fc.boolean(),
      (pieces, name, isPadded) => {
        const rename = (event: string) => event.replace('"a.b"', () => JSON.stringify(name));
        const rewrite = createRunRewriter(rename);
        const reader = openaiChat.readStream();
        const long = chat(`{"content":"${'and so on, '.repeat(200)}"}`, '');
        for (const events of [
          [long],
          [long],
          pieces.map((one) => chat(`{"content":${one.json}}`, isPadded ? one.padding : '')),
        ]) {
          const texts = events.map((one) => `${one}\n\n`);
          const run = addEvents(reader, texts.join(''));
          const written = run && rewrite(run, texts.join(''));
          if (written === undefined) continue;
          rewritten++;
          expect(written).toBe(texts.map(rename).join(''));
        }
      },
    ),
    { numRuns: rounds },
  );
  expect(rewritten).toBeGreaterThan(rounds);
});

/** What a stream leads to, read at once where that is possible, and event by event. */
function readBothWays(dialect: Dialect, events: readonly string[]) {
  const texts = events.map((one) => `${one}\n\n`);
  const reader = dialect.readStream();
  const decoder = readSse(reader);
  for (const one of texts) decoder.push(one);
  decoder.end();
  const { message, envelope } = reader.finish();
  const { runs: _, ...slow } = read(dialect, texts, false);
  return [
    { raw: message.raw, envelope },
    { raw: slow.raw, envelope: slow.reply.envelope },
  ];
}

describe('reading at once changes nothing', () => {
  const long = 'and so on, '.repeat(200);

  it('an announced text without its string stays without it', () => {
    const [fast, slow] = readBothWays(googleInteractions, [
      'event: step.start\ndata: {"index":0,"step":{"type":"model_output","content":[{"type":"text"}]},"event_type":"step.start"}',
      'event: step.stop\ndata: {"index":0,"event_type":"step.stop"}',
    ]);
    expect(fast).toEqual(slow);
  });

  it('an event in several lines is no pattern for lines that are no data', () => {
    const tail = `"choices":[{"index":0,"delta":{"content":"${long}"}}]}`;
    const [fast, slow] = readBothWays(openaiChat, [
      `data: {"id":"a",\ndata: ${tail}`,
      `data: {"id":"a",\ndata: ${tail}`,
      `data: {"id":"a",\n${tail}`,
    ]);
    expect(fast).toEqual(slow);
  });

  it('log probabilities beside the choices join', () => {
    const event = `data: {"id":"a","logprobs":{"content":[{"token":"a"}]},"choices":[{"index":0,"delta":{"content":"${long}"}}]}`;
    const [fast, slow] = readBothWays(openaiChat, [event, event, event]);
    expect(fast).toEqual(slow);
  });
});
