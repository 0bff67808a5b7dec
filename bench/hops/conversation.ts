/**
 * One random conversation that hops over all providers, as an application might lead it: it thinks, calls tools side by
 * side, waits for approvals, is stopped, edited and forked, shows images, asks for answers by a schema, holds halves of
 * characters, and fails. Every request is judged by the emulator, and compared with the one before it.
 */
import {
  assistant,
  type Fetch,
  joinManifest,
  type Message,
  MessageList,
  RunError,
  type RunOptions,
  run,
  type Step,
  tool,
  toolResult,
  user,
} from '@skein/core';
import type { Emulator } from '@skein/emulator';
import { member, messagesIn, parting, unmarked } from '../../packages/core/test/loops/compare.ts';
import { RandomBrain } from './brain.ts';
import { envFor, PLACES, type Place } from './places.ts';
import { Dice } from './random.ts';

export interface Played {
  readonly requests: number;
  /** Requests that were compared with an earlier one to the same model. */
  readonly compared: number;
  /** How often each thing happened. */
  readonly events: Readonly<Record<string, number>>;
}

const WORDS = ['Hello', 'Go on', 'Why?', 'half \ud83d of it', ' ', 'Look it up, please', 'ü "quoted" \\'];
const PNG = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'aW1hZ2U=' } } as const;
const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
} as const;
const INPUT = { type: 'object', properties: { key: { type: 'string' } } } as const;

export async function play(seed: number, emulator: Emulator, setBrain: (brain: RandomBrain) => void): Promise<Played> {
  const dice = new Dice(seed);
  const brain = new RandomBrain(dice);
  emulator.reset();
  setBrain(brain);
  return new Conversation(emulator, brain, dice).play();
}

class Conversation {
  readonly #emulator: Emulator;
  readonly #brain: RandomBrain;
  readonly #dice: Dice;
  readonly #events: Record<string, number> = {};
  /** The last request to each model since the last change of what was said or asked before. */
  readonly #sent = new Map<string, string>();
  /** Who wrote each reply, by the digest of its text. */
  readonly #writers = new Map<string, string>();
  #list = new MessageList();
  #place: Place;
  #system = 'Be brief.';
  #pending: readonly { readonly id: string }[] = [];
  /** The request that the next one is told to extend. */
  #previous: string | undefined;
  #checked = 0;
  #compared = 0;

  constructor(emulator: Emulator, brain: RandomBrain, dice: Dice) {
    this.#emulator = emulator;
    this.#brain = brain;
    this.#dice = dice;
    this.#place = dice.pick(PLACES);
  }

  async play(): Promise<Played> {
    const turns = 4 + this.#dice.below(8);
    for (let turn = 0; turn < turns; turn++) {
      this.#change();
      const approvals = this.#decide();
      if (!approvals || this.#list.length === 0) this.#say();
      await this.#ask(approvals ?? {});
      this.#check();
      this.#reload();
    }
    return { requests: this.#checked, compared: this.#compared, events: this.#events };
  }

  #count(event: string): void {
    this.#events[event] = (this.#events[event] ?? 0) + 1;
  }

  /** Hops, edits, forks and other things that happen between two turns. */
  #change(): void {
    const dice = this.#dice;
    if (dice.percent(45)) {
      this.#place = dice.pick(PLACES);
      this.#count('hop');
    }
    if (dice.percent(6)) {
      this.#system = `Be brief, ${dice.below(1000)}.`;
      this.#begin('new system text');
    }
    const messages = [...this.#list];
    const questions = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
    if (questions.length > 0 && dice.percent(10)) {
      const at = dice.pick(questions);
      const edited = messages.with(at, user(`Edited ${dice.below(1000)}`));
      this.#rewrite(dice.percent(50) ? edited : edited.slice(0, at + 1), 'edit');
    } else if (messages.length > 2 && dice.percent(6)) {
      // As after a crash: the last message was never stored.
      this.#rewrite(messages.slice(0, -1 - dice.below(2)), 'crash');
    }
  }

  #rewrite(messages: readonly Message[], event: string): void {
    this.#list = new MessageList(messages, this.#dice.percent(50) ? this.#list.manifest : undefined);
    this.#pending = [];
    this.#begin(event);
  }

  /** From here on requests need not extend earlier ones. */
  #begin(event: string): void {
    this.#count(event);
    this.#sent.clear();
  }

  /** Calls that wait are approved, denied or ignored; undefined when the user speaks instead. */
  #decide(): RunOptions['approvals'] | undefined {
    const dice = this.#dice;
    if (this.#pending.length === 0) return undefined;
    const pending = this.#pending;
    this.#pending = [];
    if (dice.percent(25)) {
      this.#count('ignored approval');
      if (dice.percent(30)) {
        this.#list.append(user('Never mind.')).append(toolResult(pending[0]!.id, 'done after all'));
        this.#count('late result');
      }
      return undefined;
    }
    return Object.fromEntries(
      pending.map(({ id }) => {
        const isApproved = dice.percent(70);
        this.#count(isApproved ? 'approved' : 'denied');
        return [id, isApproved ? ('approve' as const) : { deny: 'not \ud83d now' }];
      }),
    );
  }

  #say(): void {
    if (this.#dice.percent(6)) {
      this.#list.append(assistant('It is'));
      this.#count('answer to be continued');
      return;
    }
    const words = this.#dice.pick(WORDS);
    if (!words.isWellFormed()) this.#count('half a character');
    const isShown = this.#dice.percent(15);
    if (isShown) this.#count('image');
    this.#list.append(user(isShown ? [{ type: 'text', text: words }, PNG] : words));
  }

  #options(): Pick<RunOptions, 'params' | 'output' | 'stream'> {
    const dice = this.#dice;
    const { takesTemperature } = this.#place;
    const thinking = dice.pick([undefined, { effort: 'high' }, { budget: 2000 }, { budget: 1500, effort: 'low' }]);
    const hasOutput = dice.percent(12);
    if (hasOutput) this.#count('structured output');
    if (thinking) this.#count('thinking');
    return {
      stream: dice.percent(70),
      params: {
        ...(thinking && { reasoning: thinking }),
        ...(takesTemperature && dice.percent(25) && { temperature: 0.5 }),
        ...(dice.percent(10) && { stop: ['\ud83d END'] }),
        ...(!hasOutput && dice.percent(8) && { toolChoice: 'required' as const }),
      },
      ...(hasOutput && { output: SCHEMA }),
    };
  }

  #tools() {
    const dice = this.#dice;
    const found = (key: unknown): string => `found ${key}${dice.percent(15) ? ' \ud83d' : ''}`;
    return [
      tool({ name: 'lookup', input: INPUT, execute: ({ key }) => found(key) }),
      tool({
        name: 'fail',
        input: INPUT,
        execute: ({ key }) => {
          this.#count('failed tool');
          throw new Error(`no ${found(key)}`);
        },
      }),
      tool({
        name: 'picture',
        input: INPUT,
        execute: ({ key }) => [{ type: 'text', text: found(key) }, { type: 'text', text: 'and' }, PNG],
      }),
      tool({ name: 'remove', input: INPUT, needsApproval: true, execute: ({ key }) => found(key) }),
    ];
  }

  /** Behind how many events of which request the run is stopped; undefined when it is not. */
  #stopBehind(): { readonly request: number; readonly events: number } | undefined {
    return this.#dice.percent(20) ? { request: this.#dice.below(2), events: this.#dice.below(12) } : undefined;
  }

  async #ask(approvals: NonNullable<RunOptions['approvals']>): Promise<void> {
    const { provider, model } = this.#place;
    this.#brain.place = this.#place;
    const { manifest: known } = this.#list;
    this.#previous = known && joinManifest(known, (index) => this.#list.at(index)?.raw ?? '');
    const running = run({
      model: `${provider}/${model}`,
      env: envFor(this.#emulator),
      messages: this.#list,
      previous: this.#list.manifest,
      tools: this.#tools(),
      system: this.#system,
      approvals,
      retry: false,
      fetch: stopping(this.#stopBehind(), () => running.stop()),
      limits: { steps: 4 },
      ...this.#options(),
    });
    try {
      const { messages, manifest, pending, stop, steps } = await running.result;
      this.#keep(messages, steps);
      this.#list.manifest = manifest ?? this.#list.manifest;
      this.#pending = pending;
      this.#count(`ended by ${stop.reason}`);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      this.#keep(error.messages, error.steps);
      this.#list.manifest = error.steps.at(-1)?.manifest ?? this.#list.manifest;
      this.#count(`failed by ${error.code}`);
    }
  }

  /** Adds what a run brought. A model gets its own reasoning back, whatever name it answers under. */
  #keep(messages: readonly Message[], steps: readonly Step[]): void {
    const { provider, model } = this.#place;
    const name = `${provider}/${model}`;
    for (const { role, facts } of messages) if (role === 'assistant') this.#writers.set(facts.digest, name);
    this.#list.extend(messages);
    for (const { message, reason } of steps.flatMap(({ losses }) => losses))
      if (reason === 'model-bound' && this.#writers.get(this.#list.at(message)!.facts.digest) === name)
        throw new Error(`${name} does not get its own reasoning back (message ${message})`);
  }

  /** As another process would find it. */
  #reload(): void {
    if (this.#dice.percent(50)) this.#list = MessageList.fromJSON(JSON.stringify(this.#list));
  }

  /** What must be true of every request. */
  #check(): void {
    const { provider, model } = this.#place;
    const name = `${provider}/${model}`;
    for (const { verdict, body: bytes } of this.#emulator.log.slice(this.#checked)) {
      this.#checked++;
      const body = bytes.toString();
      if (verdict.refusal)
        throw new Error(`${name} refused (${verdict.refusal.rule}): ${verdict.refusal.message}\n${body}`);
      if (verdict.warnings.length > 0) throw new Error(`${name} warns of ${verdict.warnings.join()}\n${body}`);
      this.#checkOrder(body);
      this.#checkUpstream(body);
      const earlier = this.#sent.get(name);
      this.#sent.set(name, body);
      const isRemembered = earlier === this.#previous;
      this.#previous = body;
      if (earlier === undefined || !isComparable(earlier, body, isRemembered)) continue;
      if (this.#place.protocol === 'bedrock-converse' && isAddedToLast(earlier, body)) continue;
      this.#compared++;
      const difference = parting(earlier, body);
      if (difference) throw new Error(`A request to ${name} does not extend the one before: ${difference}`);
    }
  }

  /** Gemini's calls may have no ids: the first result is that of the first call. */
  #checkOrder(body: string): void {
    if (this.#place.protocol !== 'google-generatecontent') return;
    const { contents } = JSON.parse(body) as { contents: { parts: Record<string, { args?: { key?: string } }>[] }[] };
    const parts = contents.flatMap((content) => content.parts);
    const keys = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall.args?.key] : []));
    const results = parts.flatMap(({ functionResponse }) =>
      functionResponse ? [JSON.stringify(functionResponse)] : [],
    );
    results.forEach((result, index) => {
      const found = /found (key \d+)/.exec(result)?.[1];
      if (found !== undefined && found !== keys[index])
        throw new Error(`The result of ${keys[index]} is that of ${found}\n${body}`);
    });
  }

  /** Reasoning goes to no other upstream than the one that wrote it. */
  #checkUpstream(body: string): void {
    if (!this.#place.upstreams) return;
    const { order } = JSON.parse(body).provider ?? {};
    for (const [, upstream] of body.matchAll(/"signed by ([\w-]+)"/g))
      if (upstream !== order?.[0]) throw new Error(`Reasoning of ${upstream} goes to ${order?.[0]}\n${body}`);
  }
}

/** Stops a run while an answer arrives. Every request is sent, so that whoever judges it has seen it when the run ends. */
function stopping(behind: { readonly request: number; readonly events: number } | undefined, stop: () => void): Fetch {
  let request = 0;
  return async (url, init) => {
    const isStopped = behind?.request === request++;
    const answer = await fetch(url, { ...init, signal: null });
    if (!isStopped) return answer;
    let events = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (events >= behind.events) stop();
        events +=
          Buffer.from(chunk)
            .toString('latin1')
            .split(/\n\n|:event-type/).length - 1;
        controller.enqueue(chunk);
      },
    });
    return new Response(answer.body?.pipeThrough(counted) ?? null, { status: answer.status, headers: answer.headers });
  };
}

/**
 * Two requests to the same model part for reasons that `docs/requests.md` lists: here, because an answer by a schema
 * brings a tool of its own, because a router asked another upstream, which does not read the reasoning of the first, and
 * because a stand-in was sent in a request whose manifest is not at hand: no history holds it.
 */
function isComparable(earlier: string, later: string, isRemembered: boolean): boolean {
  const upstream = member(earlier, 'provider');
  return (
    ['tools', 'toolConfig'].every((name) => member(earlier, name) === member(later, name)) &&
    (upstream ?? member(later, 'provider')) === member(later, 'provider') &&
    (isRemembered || isPlain(earlier))
  );
}

/** Whether roles alternate, and a message was added to the last one, which is not answered yet. */
function isAddedToLast(earlier: string, later: string): boolean {
  const before = messagesIn(earlier).map(unmarked);
  const after = messagesIn(later).map(unmarked);
  return before.at(-1) !== after[before.length - 1] && before.slice(0, -1).every((text, at) => text === after[at]);
}

/** Whether nothing was added to a request or changed in it because of how it begins or ends. */
function isPlain(body: string): boolean {
  const endsWithAnswer = /"role": ?"(?:assistant|model)"|"type": ?"model_output"/.test(messagesIn(body).at(-1) ?? '');
  return !endsWithAnswer && !/"Continue\."|"The conversation so far:"|"No result: /.test(body);
}
