import { type Loss, MessageList } from '@skein/core';
import type { Emulator, Protocol } from '@skein/emulator';
import { expect, test } from 'vitest';
import { start } from '../run/kit.ts';
import { inside, member, opaqueIn, parting } from './compare.ts';
import { bodiesOf, Saved, useFreshTurns } from './kit.ts';

useFreshTurns();

interface Place {
  readonly provider: string;
  readonly model: string;
  readonly protocol: Protocol;
  /** Compatible providers are deployments of their own. */
  readonly issuer?: string;
  /** What it gives in every message and does not take back. */
  readonly refuses?: string;
  readonly thinks?: false;
}

const PLACES: readonly Place[] = [
  { provider: 'anthropic', model: 'claude-opus-5-5', protocol: 'anthropic-messages' },
  { provider: 'openai', model: 'gpt-5.5', protocol: 'openai-responses' },
  { provider: 'google', model: 'gemini-3-pro-preview', protocol: 'google-generatecontent' },
  { provider: 'google-interactions', model: 'gemini-3.6-flash', protocol: 'google-interactions' },
  { provider: 'openai-chat', model: 'gpt-5.5', protocol: 'openai-chat' },
  { provider: 'bedrock', model: 'us.anthropic.claude-opus-5-5', protocol: 'bedrock-converse' },
  { provider: 'cohere', model: 'command-a-reasoning-08-2025', protocol: 'cohere-chat' },
  { provider: 'deepseek', model: 'deepseek-chat', protocol: 'openai-chat', issuer: 'deepseek' },
  {
    provider: 'groq',
    model: 'openai/gpt-oss-120b',
    protocol: 'openai-chat',
    issuer: 'groq/openai',
    refuses: ',"annotations":[]',
  },
  { provider: 'mistral', model: 'mistral-large-latest', protocol: 'openai-chat', issuer: 'mistral', thinks: false },
];

/** A walk on which every place follows every other one exactly once. */
function walk(count: number): number[] {
  const left = Array.from({ length: count }, (_, from) =>
    Array.from({ length: count }, (_, to) => to).filter((to) => to !== from),
  );
  const path: number[] = [];
  const stack = [0];
  while (stack.length > 0) {
    const next = left[stack.at(-1)!]!.shift();
    if (next === undefined) path.unshift(stack.pop()!);
    else stack.push(next);
  }
  return path;
}

const envAll = (emulator: Emulator) => ({
  ...emulator.env(),
  DEEPSEEK_API_KEY: 'sk-test',
  GROQ_API_KEY: 'sk-test',
  MISTRAL_API_KEY: 'sk-test',
  DEEPSEEK_BASE_URL: `${emulator.url}/deepseek`,
  GROQ_BASE_URL: `${emulator.url}/groq`,
  MISTRAL_BASE_URL: `${emulator.url}/mistral`,
});

/** What a reply in one piece said, by its bytes: the texts that have to be in every later request to its issuer. */
function saidIn({ protocol, refuses = '' }: Place, served: string): string[] {
  if (protocol === 'anthropic-messages') return [member(served, 'content')!];
  if (protocol === 'openai-responses') return inside(member(served, 'output')!);
  if (protocol === 'bedrock-converse') return [member(member(served, 'output')!, 'message')!];
  if (protocol === 'cohere-chat') return [member(served, 'message')!];
  if (protocol === 'google-interactions') return inside(member(served, 'steps')!);
  const [choice] = inside(member(served, protocol === 'openai-chat' ? 'choices' : 'candidates')!);
  return [member(choice!, protocol === 'openai-chat' ? 'message' : 'content')!.replace(refuses, '')];
}

test('a walk visits every ordered pair once', () => {
  const path = walk(4);
  const pairs = path.slice(1).map((to, index) => `${path[index]}${to}`);
  expect(new Set(pairs).size).toBe(12);
});

/** One conversation in which every provider follows every other one, judged at each turn. */
class Journey {
  readonly #emulator: Emulator;
  readonly #saved: Saved;
  readonly #sent = new Map<Place, string>();
  readonly #said = new Map<Place, string[]>();
  /** Who said each message. */
  readonly #from: (Place | undefined)[] = [];

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
    this.#saved = new Saved(emulator);
  }

  async turn(place: Place, turn: number, stream: boolean): Promise<void> {
    const { protocol, issuer = '', provider, model, thinks } = place;
    const call = { type: 'tool-use', name: 'get_weather', input: { city: `City ${turn}` } } as const;
    const thought = { type: 'thinking', text: `Thought ${turn} of ${provider}.` } as const;
    const answer = { type: 'text', text: `Answer ${turn}.`, extra: { [`x_${turn}`]: provider } } as const;
    const blocks = thinks === false ? [call] : [thought, call];
    this.#emulator.script(protocol, [{ blocks }, { blocks: [answer] }], issuer);
    const before = this.#emulator.log.length;
    const options = { model: `${provider}/${model}`, env: envAll(this.#emulator), stream, system: 'Be brief.' };
    const { text, requests } = await this.#saved.turn({ say: `Question ${turn}`, options });
    expect(text).toBe(`Answer ${turn}.`);
    const bodies = bodiesOf(this.#emulator).slice(before);
    expect(bodies).toHaveLength(2);
    for (const body of bodies) this.#isAsBefore(place, body);
    this.#nothingForeign(place, bodies[0]!, requests[0]!.losses);
    if (!stream) {
      const served = this.#emulator.log.slice(before).map((entry) => Buffer.from(entry.served!.body).toString());
      this.#said.set(place, [...(this.#said.get(place) ?? []), ...served.flatMap((one) => saidIn(place, one))]);
    }
    const { length } = MessageList.fromJSON(this.#saved.text!);
    while (this.#from.length < length) this.#from.push(place);
  }

  /** Whoever is asked again finds all that it was sent and said before, byte by byte. */
  #isAsBefore(place: Place, body: string): void {
    const last = this.#sent.get(place);
    if (last !== undefined) expect(parting(last, body), place.provider).toBeUndefined();
    for (const text of this.#said.get(place) ?? []) expect(body).toContain(text);
    this.#sent.set(place, body);
  }

  /** Nothing opaque of one gets to another, and all that stays behind is told. */
  #nothingForeign(place: Place, body: string, losses: readonly Loss[]): void {
    const messages = [...MessageList.fromJSON(this.#saved.text!)].slice(0, this.#from.length);
    const dropped = losses.filter(({ kind, reason }) => kind === 'dropped' && reason === 'foreign-reasoning');
    const told = new Set(dropped.map(({ message }) => message));
    messages.forEach(({ raw, role }, index) => {
      if (role !== 'assistant' || this.#from[index] === place) return;
      const opaque = [...opaqueIn(raw), ...(raw.match(/Thought \d+ of [\w-]+/g) ?? [])];
      for (const secret of opaque) expect(body).not.toContain(secret);
      if (opaque.length > 0) expect(told).toContain(index);
    });
  }
}

/** Streams and whole replies in turn; `npm run torture` walks once with each. */
const FORMS: readonly (readonly [name: string, stream: (turn: number) => boolean])[] =
  process.env.SKEIN_KILLS === undefined
    ? [['streams and whole replies in turn', (turn) => turn % 2 === 0]]
    : [
        ['streams', () => true],
        ['whole replies', () => false],
      ];

test.each(FORMS)('between all pairs of providers: %s', { timeout: 300_000 }, async (_, stream) => {
  const emulator = await start({
    settings: { enforcePrefix: true },
    issuers: { 'groq/openai': { refuseUnknownMessageFields: true } },
  });
  const journey = new Journey(emulator);
  for (const [turn, at] of walk(PLACES.length).entries()) await journey.turn(PLACES[at]!, turn, stream(turn));
  expect(emulator.log).toHaveLength(2 * (PLACES.length * (PLACES.length - 1) + 1));
});
