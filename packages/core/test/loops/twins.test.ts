import { type ContentBlock, type Message, MessageList, RunError, run, user } from '@skein/core';
import { type Emulator, type MessageReply, rawJson, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { incompleteParts } from '../properties/incomplete.ts';
import {
  APIS,
  type Api,
  anthropic,
  ask,
  bodies,
  expectAccepted,
  interactions,
  modelOf,
  start,
  weather,
} from '../run/kit.ts';

const LEVELS = ['envelope', 'choice', 'message', 'block', 'part', 'usage', 'event'] as const;
/** Those that are part of the message, and go back with it. Anthropic's message is all of the response but for its content. */
const own = (api: Api): readonly ('message' | 'block' | 'part')[] => {
  if (api === anthropic) return ['block'];
  if (api === interactions) return ['block', 'part'];
  if (api.protocol === 'bedrock-converse') return [];
  return api.protocol === 'cohere-chat' ? ['message', 'block'] : ['message', 'block', 'part'];
};

/** Values that reading and printing would change. */
const value = (level: string): string => `{"of":"${level}","n":2512292042121000001,"ratio":1.0}`;

const blocks: MessageReply['blocks'] = [
  { type: 'thinking', text: 'They mean the city.', extra: { x_own: 'in-thought' } },
  { type: 'text', text: 'One moment, please.', extra: { x_own: 'in-text' } },
  { type: 'tool-use', name: 'get_weather', input: '{ "city":"Oslo" }', extra: { x_own: 'in-call-1' } },
  { type: 'tool-use', name: 'get_weather', input: '{ "city":"Rome" }', extra: { x_own: 'in-call-2' } },
];
const reply: MessageReply = {
  blocks,
  extra: Object.fromEntries(LEVELS.map((level) => [level, { [`x_${level}`]: rawJson(value(level)) }])),
  pieces: 7,
};

const question = [user('How is the weather?')];

/** As another process would find it. */
const reloaded = (messages: readonly Message[]): Message[] => [
  ...MessageList.fromJSON(JSON.stringify(new MessageList(messages))),
];

async function first(emulator: Emulator, api: Api, stream: boolean): Promise<Message> {
  emulator.script(api.protocol, reply);
  const { messages } = await ask(emulator, api, { messages: question, tools: [weather], stream, limits: { steps: 1 } })
    .result;
  return messages[0]!;
}

/** Sends what follows, and gives its bytes. */
async function next(emulator: Emulator, api: Api, messages: readonly Message[]): Promise<string> {
  emulator.script(api.protocol, says('All right.'));
  const { text } = await ask(emulator, api, { messages: [...reloaded(messages), user('Go on.')], tools: [weather] })
    .result;
  expect(text).toBe('All right.');
  return bodies(emulator).at(-1)!;
}

/** Ids are new in every reply. */
const seen = (content: readonly ContentBlock[]): unknown[] =>
  content.map((block) => (block.type === 'tool-use' ? { ...block, id: '' } : block));

const MARKS = ['in-thought', 'in-text', 'in-call-1', 'in-call-2'] as const;
type Mark = (typeof MARKS)[number];

const marks = (text: string): Mark[] => MARKS.filter((mark) => text.includes(mark));

describe.each(APIS)('$protocol', (api) => {
  test('a reply in one piece and its stream show the same, and go back with all that nobody knows', async () => {
    const emulator = await start({ settings: { enforcePrefix: true } });
    const whole = await first(emulator, api, false);
    const streamed = await first(emulator, api, true);
    expect(seen(streamed.content)).toEqual(seen(whole.content));
    for (const message of [whole, streamed]) {
      const body = await next(emulator, api, [...question, message]);
      const served = Buffer.from(emulator.log[message === whole ? 0 : 1]!.served!.body).toString();
      for (const level of own(api)) expect(body).toContain(`"x_${level}":${value(level)}`);
      expect(marks(body)).toEqual(marks(served));
    }
    expectAccepted(emulator);
  });

  test('a stream that was cut behind any byte: what is complete goes back, what is not never does', {
    timeout: 300_000,
  }, async () => {
    const emulator = await start({ settings: { enforcePrefix: true } });
    await first(emulator, api, true);
    const bytes = Buffer.from(emulator.log[0]!.served!.body);
    const tried = new Set<string>();
    // Every byte of a short one; of a long one so many that each event is cut in many places. `npm run torture` cuts everywhere.
    const step = bytes.length > 4096 && process.env.SKEIN_KILLS === undefined ? 29 : 1;
    for (let end = 0; end < bytes.length; end += step) {
      const arrived = bytes.subarray(0, end);
      const messages = await cut(emulator, api, arrived);
      const saved = JSON.stringify(new MessageList(messages));
      if (tried.has(saved)) continue;
      tried.add(saved);
      const body = await next(emulator, api, [...question, ...messages]);
      expect(incompleteParts(api.protocol, body), `behind byte ${end}`).toEqual([]);
      const { must, may } = expected(
        api,
        api.protocol === 'bedrock-converse' ? framesIn(arrived) : eventsIn(arrived.toString()),
      );
      const sent = marks(body);
      expect(sent, `behind byte ${end}: ${body}`).toEqual(expect.arrayContaining(must));
      expect(may).toEqual(expect.arrayContaining(sent));
    }
    expect(tried.size).toBeGreaterThan(4);
    expectAccepted(emulator);
  });
});

/** The data of the events that have arrived in full. */
const eventsIn = (text: string): string[] =>
  [...text.matchAll(/^data: (.*)$/gm)]
    .map((match) => match[1]!.trim())
    .filter((data) => /^\{.*\}$/.test(data) && parses(data));

/** The payloads of the frames that have arrived in full. */
function framesIn(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at + 12 < bytes.length && at + bytes.readUInt32BE(at) <= bytes.length; at += bytes.readUInt32BE(at))
    found.push(bytes.toString('utf8', at + 12 + bytes.readUInt32BE(at + 4), at + bytes.readUInt32BE(at) - 4));
  return found;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What a run keeps of a reply that breaks off. */
async function cut(emulator: Emulator, api: Api, arrived: Buffer): Promise<readonly Message[]> {
  const isFramed = api.protocol === 'bedrock-converse';
  const headers = { 'content-type': isFramed ? 'application/vnd.amazon.eventstream' : 'text/event-stream' };
  const running = run({
    model: modelOf(api),
    env: emulator.env(),
    messages: question,
    tools: [weather],
    retry: false,
    limits: { steps: 1 },
    fetch: async () => new Response(arrived, { headers }),
  });
  try {
    const { messages } = await running.result;
    return messages.slice(0, 1);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return error.messages.slice(0, 1);
  }
}

interface Expected {
  /** What has arrived in full, by each protocol's own word for it. */
  readonly must: Mark[];
  /** A text need not be complete, a call only its arguments. A thought that nothing follows is better left out. */
  readonly may: Mark[];
}

function expected({ protocol }: Api, events: readonly string[]): Expected {
  const ended = MARKS.filter((mark, index) => ENDED[protocol](events, mark, index));
  const isFollowed = ended.some((mark) => mark !== 'in-thought');
  const calls = MARKS.filter((_, index) => protocol === 'anthropic-messages' && parses(argumentsOf(events, index)));
  return { must: isFollowed ? ended : [], may: [...ended, 'in-text', ...calls] };
}

/** Anthropic's pieces of a call. */
function argumentsOf(events: readonly string[], index: number): string {
  const pieces = events.map((data) => JSON.parse(data)).filter((event) => event.index === index);
  return pieces.map(({ delta }) => delta?.partial_json ?? '').join('');
}

const some = (events: readonly string[], ...words: readonly string[]): boolean =>
  events.some((data) => words.every((word) => data.includes(word)));

const ENDED: Readonly<Record<Api['protocol'], (events: readonly string[], mark: Mark, index: number) => boolean>> = {
  'anthropic-messages': (events, _, index) => some(events, `"type":"content_block_stop","index":${index}`),
  'openai-responses': (events, mark) => some(events, '"response.output_item.done"', mark),
  'bedrock-converse': (events, _, index) => some(events, `{"contentBlockIndex":${index},"p"`),
  // Arguments are complete when they are JSON.
  'cohere-chat': (events, _, index) => {
    if (index < 2) return some(events, `"content-end","index":${index}`);
    const calls = events.map((data) => JSON.parse(data)).filter((event) => /^tool-call/.test(event.type));
    const mine = calls.filter((event) => event.index === index - 2);
    return parses(mine.map(({ delta }) => delta?.message?.tool_calls?.function?.arguments ?? '').join(''));
  },
  'google-generatecontent': (events, mark) => some(events, mark),
  // A thought ends with its signature, a call with its arguments, a text where its step stops.
  'google-interactions': (events, mark, index) => {
    const deltas = events.map((data) => JSON.parse(data)).filter((event) => event.index === index && event.delta);
    if (mark === 'in-thought') return deltas.some(({ delta }) => delta.signature);
    if (mark === 'in-text') return some(events, `"index":${index},"event_type":"step.stop"`);
    return parses(deltas.map(({ delta }) => delta.arguments).join(''));
  },
  // Nothing says that a text or a call has ended; arguments have when they are JSON.
  'openai-chat': (events, mark, index) => {
    if (mark === 'in-thought') return false;
    if (mark === 'in-text') return some(events, '"content":"One mom"') || ENDED['openai-chat'](events, 'in-call-1', 2);
    const pieces = events.flatMap((data) => JSON.parse(data).choices?.[0]?.delta?.tool_calls ?? []);
    const mine = pieces.filter((piece: { index: number }) => piece.index === index - 2);
    return parses(mine.map((piece: { function?: { arguments?: string } }) => piece.function?.arguments ?? '').join(''));
  },
};
