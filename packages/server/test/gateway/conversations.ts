/** Random conversations through random pairs of protocols, judged at every turn. */
import { setTimeout } from 'node:timers/promises';
import type { LogEntry, MessageReply, ReplyBlock, ScriptedReply } from '@skein/emulator';
import type { SeenAnswer } from './answer.ts';
import { CLIENTS, type Client, callsIn, type Wishes } from './clients.ts';
import { doubled, type Mark, misplaced, silentLosses } from './differ.ts';
import { CLIENT_PROTOCOLS, READERS } from './readers.ts';
import { UPSTREAMS, type Upstream, type World } from './world.ts';

/** What a conversation found wrong, and how much it looked at. */
export interface Judged {
  readonly faults: readonly string[];
  readonly requests: number;
  /** Opaque strings that went back to who issued them. */
  readonly restored: number;
}

/** Numbers from a seed, the same in every run. */
function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (limit: number) => Math.floor(next() * limit),
    chance: (share: number) => next() < share,
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!,
  };
}

const OPAQUE = /"(?:signature|encrypted_content|thoughtSignature|redactedContent|data)":\s*"([A-Za-z0-9+/=_-]{40,})"/g;
const TURNS = 6;
const ERRORS: readonly ScriptedReply[] = [
  { error: { status: 400, message: 'That is not allowed.' } },
  { error: { status: 403 } },
  { error: { status: 401 } },
  { error: { status: 429 } },
  { error: { status: 500 } },
  { error: { status: 503 } },
];

/** What a reply that was delivered had, for the requests after it. */
interface Delivered {
  readonly upstream: Upstream;
  readonly marks: readonly Mark[];
  readonly opaque: readonly string[];
}

export async function converse(world: World, seed: number): Promise<Judged> {
  const run = new RandomConversation(world, seed);
  try {
    await run.hold();
  } catch (cause) {
    throw new Error(`seed ${seed}: ${cause}`, { cause });
  }
  return run;
}

class RandomConversation implements Judged {
  readonly faults: string[] = [];
  requests = 0;
  restored = 0;
  readonly #world: World;
  readonly #random: ReturnType<typeof createRandom>;
  readonly #seed: number;
  readonly #client: Client;
  readonly #system: string;
  /** Everything that the client has said and got, in order. */
  readonly #said: Mark[] = [];
  readonly #delivered: Delivered[] = [];
  /** No two requests have the same limit, so a request is known by it. */
  readonly #limits = new Set<number>();
  #marks = 0;
  #upstream: Upstream;
  #turn = 0;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#seed = seed;
    this.#random = createRandom(seed);
    this.#client = CLIENTS[this.#random.pick(CLIENT_PROTOCOLS)]();
    this.#upstream = this.#random.pick(UPSTREAMS);
    this.#system = `Be brief. ${this.#mark()}`;
  }

  async hold(): Promise<void> {
    for (this.#turn = 0; this.#turn < TURNS; this.#turn++) {
      if (this.#random.chance(0.3)) this.#upstream = this.#random.pick(UPSTREAMS);
      if (this.#random.chance(0.05)) await this.#world.restart(this.#random.below(2));
      const question = this.#mark();
      const image = this.#random.chance(0.15)
        ? Buffer.from(`PNG ${this.#mark()} ${'x'.repeat(60)}`).toString('base64')
        : undefined;
      this.#client.ask(`Question ${question}`, image);
      this.#said.push({ kind: 'content', name: 'question', value: question });
      if (image) this.#said.push({ kind: 'content', name: 'unsupported-media', value: image });
      let answer = await this.#answerTo();
      for (let step = 0; answer && callsIn(answer).length > 0 && step < 3; step++) {
        const results = callsIn(answer).map(({ id, name }) => ({ id, name, text: `Result ${this.#mark()}` }));
        this.#client.answer(results);
        for (const { text } of results) this.#said.push({ kind: 'content', name: 'result', value: text });
        answer = await this.#answerTo(step === 2);
      }
      if (!answer) return;
    }
  }

  /** Asks until there is an answer, through errors and aborts. */
  async #answerTo(isLast = false): Promise<SeenAnswer | undefined> {
    if (this.#random.chance(0.08)) await this.#failing();
    if (this.#random.chance(0.08)) await this.#leaving();
    return this.#asking(isLast);
  }

  #mark(): string {
    return `Kq${this.#seed.toString(36)}x${(this.#marks++).toString(36).padStart(3, '0')}z`;
  }

  #limit(): number {
    let limit = 4001 + this.#random.below(999);
    while (this.#limits.has(limit)) limit += 1;
    this.#limits.add(limit);
    return limit;
  }

  #wish(): Wishes {
    const thinks = this.#random.chance(0.8);
    const isSame = this.#client.protocol === this.#upstream.protocol;
    return {
      model: this.#upstream.model,
      stream: this.#random.chance(0.5),
      system: this.#system,
      maxTokens: this.#limit(),
      thinks,
      // In its own protocol a client knows what its model takes.
      ...(!isSame && this.#random.chance(0.2) && { temperature: 0.37 }),
      ...(!isSame && this.#random.chance(0.1) && { topP: 0.81 }),
      ...(this.#random.chance(0.1) && { property: this.#mark() }),
    };
  }

  #reply(isLast: boolean): { readonly reply: MessageReply; readonly marks: readonly Mark[] } {
    const marks: Mark[] = [];
    const blocks: ReplyBlock[] = [];
    const add = (kind: Mark['kind'], name: string): string => {
      const value = this.#mark();
      marks.push({ kind, name, value });
      return value;
    };
    if (this.#random.chance(0.7)) blocks.push({ type: 'thinking', text: `I think of ${add('reasoning', 'thought')}.` });
    const calls = isLast || this.#random.chance(0.5) ? 0 : 1 + this.#random.below(3);
    if (calls === 0 || this.#random.chance(0.4))
      blocks.push({ type: 'text', text: `Said ${add('content', 'text')} so.` });
    for (let call = 0; call < calls; call++)
      blocks.push({ type: 'tool-use', name: 'look_up', input: { city: add('content', 'call') } });
    return { reply: { blocks, pieces: 5 + this.#random.below(20) }, marks };
  }

  #replyBySchema(property: string): { readonly reply: MessageReply; readonly marks: readonly Mark[] } {
    const value = this.#mark();
    const text = JSON.stringify({ [property]: value });
    return { reply: { blocks: [{ type: 'text', text }] }, marks: [{ kind: 'content', name: 'text', value }] };
  }

  async #send(wishes: Wishes, signal = AbortSignal.timeout(300_000)): Promise<Response> {
    this.requests += 1;
    const { url } = this.#random.pick(this.#world.servers);
    const send = () =>
      fetch(`${url}/gateway${this.#client.path(wishes)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'skein' },
        body: JSON.stringify(this.#client.body(wishes)),
        signal,
      });
    // A server closes a connection that nobody uses; the next request on it finds that out.
    return send().catch((error: Error) => {
      if ((error.cause as { code?: string } | undefined)?.code !== 'UND_ERR_SOCKET') throw error;
      return send();
    });
  }

  #fault(what: string): void {
    const { protocol } = this.#client;
    this.faults.push(`seed ${this.#seed}, turn ${this.#turn}, ${protocol} → ${this.#upstream.model}: ${what}`);
  }

  async #failing(): Promise<void> {
    const error = this.#random.pick(ERRORS);
    this.#world.brain = () => error;
    const response = await this.#send(this.#wish());
    const body = await response.text();
    if (response.ok) this.#fault(`an error of the provider is an answer: ${body.slice(0, 200)}`);
    for (const problem of READERS[this.#client.protocol].error(response.status, body))
      this.#fault(`error ${response.status}: ${problem}: ${body.slice(0, 200)}`);
  }

  /** Leaves in the middle of a stream, and forgets what came. */
  async #leaving(): Promise<void> {
    const { reply } = this.#reply(true);
    this.#world.brain = () => ({ ...reply, break: { after: { events: 3 }, how: 'hang' } });
    const leaving = new AbortController();
    const sent = this.#send({ ...this.#wish(), stream: true }, leaving.signal);
    const response = await Promise.race([sent, setTimeout(500)]);
    // Some have nothing to show yet.
    await Promise.race([response?.body?.getReader().read(), setTimeout(50)]);
    leaving.abort();
  }

  async #asking(isLast: boolean, wishes = this.#wish()): Promise<SeenAnswer | undefined> {
    const { emulator } = this.#world;
    const { property } = wishes;
    const { reply, marks } = property === undefined ? this.#reply(isLast) : this.#replyBySchema(property);
    let isAsked = false;
    this.#world.brain = ({ forced }) => {
      isAsked = true;
      // A gateway may ask for JSON by a call.
      if (property === undefined || typeof forced !== 'string') return reply;
      const text = reply.blocks.findLast((block) => block.type === 'text')!.text;
      return { blocks: [{ type: 'tool-use', name: forced, input: JSON.parse(text) }] };
    };
    const response = await this.#send(wishes);
    const body = await response.text();
    const entry = findEntry(emulator.log, wishes.maxTokens);
    // What a program relies on and a model does not have is refused in so many words.
    if (response.status === 400 && !isAsked && property !== undefined) {
      const problems = READERS[this.#client.protocol].error(400, body);
      for (const problem of problems) this.#fault(`refusal: ${problem}: ${body}`);
      const { property: _, ...others } = wishes;
      return this.#asking(isLast, others);
    }
    if (entry?.verdict.refusal) this.#fault(`refused: ${entry.verdict.refusal.message}`);
    if (!response.ok || !entry) {
      this.#fault(`${response.status} ${body.slice(0, 300)}`);
      return undefined;
    }
    const reader = READERS[this.#client.protocol];
    const answer = wishes.stream ? reader.stream(body, { includeUsage: true }) : reader.whole(body);
    for (const problem of answer.problems) this.#fault(`${wishes.stream ? 'stream' : 'whole'}: ${problem}`);
    if (answer.problems.length > 0) {
      this.#fault(`the answer was ${body.slice(-400)}`);
      return undefined;
    }
    const losses = await this.#world.losses(response.headers.get('x-skein-exchange') ?? '');
    this.#judgeRequest(wishes, entry.body.toString(), losses);
    // Who speaks to a provider in its own protocol and asks for no thoughts gets none from it.
    const isUnasked = !wishes.thinks && this.#client.protocol === this.#upstream.protocol;
    this.#judgeAnswer(isUnasked ? marks.filter(({ kind }) => kind !== 'reasoning') : marks, answer, losses);
    this.#said.push(...marks.filter(({ kind }) => kind === 'content'));
    const served = entry.served?.body.toString() ?? '';
    this.#delivered.push({ upstream: this.#upstream, marks, opaque: opaqueIn(served) });
    this.#client.keep(answer);
    return answer;
  }

  #judgeRequest(wishes: Wishes, sent: string, losses: Parameters<typeof silentLosses>[2]): void {
    const { names } = this.#client;
    const parameters = (['maxTokens', 'temperature', 'topP', 'property'] as const).flatMap((name): Mark[] => {
      const value = wishes[name];
      const kind = name === 'property' ? 'demand' : 'parameter';
      return value === undefined ? [] : [{ kind, name: names[name], value }];
    });
    const own = this.#delivered.filter(({ upstream }) => upstream === this.#upstream).flatMap(({ opaque }) => opaque);
    const opaque = own.map((value): Mark => ({ kind: 'opaque', name: 'reasoning', value }));
    const system: Mark = { kind: 'content', name: 'system', value: this.#system };
    const marks = [system, ...this.#said, ...parameters, ...opaque];
    for (const lost of silentLosses(marks, sent, losses)) this.#fault(`lost silently: ${lost}`);
    for (const place of misplaced(this.#said, sent)) this.#fault(place);
    for (const twice of doubled(this.#said, sent)) this.#fault(twice);
    this.restored += own.filter((value) => sent.includes(value)).length;
  }

  #judgeAnswer(marks: readonly Mark[], { parts }: SeenAnswer, losses: Parameters<typeof silentLosses>[2]): void {
    for (const lost of silentLosses(marks, JSON.stringify(parts), losses)) this.#fault(`not delivered: ${lost}`);
    for (const place of misplaced(marks, JSON.stringify(parts))) this.#fault(`delivered: ${place}`);
  }
}

/**
 * The last request that the provider got with this limit of tokens; the last one at all if none has it. The request of a client
 * that has left may reach the provider behind the next one.
 */
export function findEntry<T extends Pick<LogEntry, 'body'>>(log: readonly T[], maxTokens: number): T | undefined {
  const limit = new RegExp(`:\\s*${maxTokens}\\b`);
  return log.findLast(({ body }) => limit.test(body.toString())) ?? log.at(-1);
}

/** The opaque strings of a reply. A streamed item of Responses has other ones in its other events. */
function opaqueIn(served: string): string[] {
  const lines = served.split('\n').filter((line) => !/"type":"response\.(?!completed)/.test(line));
  return [...new Set([...lines.join('\n').matchAll(OPAQUE)].map(([, text]) => text!))];
}
