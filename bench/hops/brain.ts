/** The answers of the models: reasoning, text, parallel calls, answers by a schema, and sometimes a failure. */
import type { BrainRequest, ReplyBlock, ScriptedReply } from '@skein/emulator';
import { type Place, slugOf } from './places.ts';
import type { Dice } from './random.ts';

const TEXTS = ['Good.', 'Let me see. ', '', ' ', 'ü "quoted" \\ 😀', 'Two\n\nparagraphs\n'];
const FAILURES: readonly Partial<ScriptedReply>[] = [
  { error: { status: 500 } },
  { error: { status: 429 } },
  { error: { status: 503 } },
];

export class RandomBrain {
  readonly #dice: Dice;
  /** The model of this turn; set before each run. */
  place!: Place;
  /** How many consecutive answers have called tools, so that every loop ends. */
  #calls = 0;
  #count = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  answer(request: BrainRequest): ScriptedReply {
    const dice = this.#dice;
    if (dice.percent(4)) return dice.pick(FAILURES) as ScriptedReply;
    const { answersAs } = this.place;
    const upstream = this.#upstream(request);
    const blocks = this.#blocks(request, upstream);
    return {
      blocks,
      ...(answersAs !== undefined && { model: answersAs }),
      ...(upstream !== undefined && { extra: { envelope: { provider: upstream } } }),
      ...(dice.percent(5) && {
        break: { after: { events: 1 + dice.below(12) }, how: dice.pick(['cut', 'end'] as const) },
      }),
      ...(dice.percent(3) && { streamError: { afterEvents: dice.below(8) } }),
      ...(dice.percent(30) && { pieces: 1 + dice.below(9) }),
    };
  }

  /** A router uses the upstream that the request names, if it can. */
  #upstream({ body }: BrainRequest): string | undefined {
    const { upstreams } = this.place;
    const { order } = (body.provider ?? {}) as { readonly order?: readonly string[] };
    const wanted = upstreams?.find((name) => order?.includes(slugOf(name)));
    return wanted !== undefined && this.#dice.percent(80) ? wanted : upstreams && this.#dice.pick(upstreams);
  }

  #blocks(request: BrainRequest, upstream: string | undefined): ReplyBlock[] {
    const dice = this.#dice;
    const { tools, format, forced } = request;
    const thoughts = this.#thoughts(request, upstream);
    const text = (): ReplyBlock => ({ type: 'text', text: dice.pick(TEXTS) });
    const isFinal = tools.some(({ name }) => name === 'final_answer') && (forced !== undefined || dice.percent(60));
    if (isFinal) return [...thoughts, { type: 'tool-use', name: 'final_answer', input: { answer: 'yes' } }];
    const own = tools.filter(({ name }) => name !== 'final_answer');
    if (own.length > 0 && (forced !== undefined || (this.#calls < 3 && dice.percent(55)))) {
      this.#calls++;
      const calls = Array.from({ length: 1 + dice.below(3) }, (): ReplyBlock => {
        return { type: 'tool-use', name: dice.pick(own).name, input: { key: `key ${this.#count++}` } };
      });
      return [...thoughts, ...(dice.percent(60) ? [text()] : []), ...calls];
    }
    this.#calls = 0;
    if (format) return [...thoughts, { type: 'text', text: '{"answer":"yes"}' }];
    return [...thoughts, text()];
  }

  #thoughts({ thinking, protocol }: BrainRequest, upstream: string | undefined): ReplyBlock[] {
    const { thinks, model } = this.place;
    const mayThink = thinks && (thinking || protocol !== 'anthropic-messages' || /fable|5-5/.test(model));
    if (!mayThink || !this.#dice.percent(70)) return [];
    const text = `Thought ${this.#count++}`;
    if (upstream === undefined) return [{ type: 'thinking', text }];
    const detail = {
      type: 'reasoning.text',
      text,
      signature: `signed by ${slugOf(upstream)}`,
      format: 'any',
      index: 0,
    };
    return [{ type: 'native', value: { reasoning: text, reasoning_details: [detail] } }];
  }
}
