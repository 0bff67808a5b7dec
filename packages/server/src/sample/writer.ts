import { anthropicMessages, dialect, googleGenerateContent, type Message, openaiChat, type Usage } from '@skein/core';
import type { Forest, TakeFacts } from '@skein/forest';

/** Writes a conversation minute by minute, from a moment on. */
export interface Writer {
  /** Below a node; gives the new one. */
  say(parent: string, message: Message, minute: number, facts?: TakeFacts): Promise<string>;
  answer(parent: string, answer: Answer, minute: number): Promise<string>;
  thread(id: string, title: string, head: string): Promise<string>;
}

const SAMPLE_TAG = 'sample';
const MINUTE = 60_000;

export async function createWriter(forest: Forest, start: number): Promise<Writer> {
  // The list is large, and only a forest that is new needs it.
  const { costOf } = await import('@skein/core/prices');
  const say: Writer['say'] = (parent, message, minute, facts = {}) =>
    forest.append(parent, [message], { via: 'import', at: start + minute * MINUTE, ...facts });
  return {
    say,
    answer(parent, { message, facts }, minute) {
      const { usage, provider = '', model = '' } = facts;
      const cost = usage && costOf(usage, provider, model, new Date(start)).total;
      return say(parent, message, minute, { ...facts, ...(cost !== undefined && { cost }) });
    },
    async thread(id, title, head) {
      await forest.threads.create({ id, title, head });
      await forest.threads.tag(id, { [SAMPLE_TAG]: true });
      return id;
    },
  };
}

/** What a model answers in the sample, in the words of its own API, and what it is said to have used. */
interface Answer {
  readonly message: Message;
  readonly facts: TakeFacts;
}

interface Spending {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly reasoning?: number;
  readonly seconds: number;
}

/** Nobody issued these texts: their signatures are none, so no provider is ever sent them as its own. */
const ISSUER = 'skein-sample';

interface Author {
  readonly provider: string;
  readonly model: string;
  readonly dialect: string;
  /** How the API spells its usage. */
  readonly native: (spent: Required<Spending>) => object;
}

const CLAUDE: Author = {
  provider: 'anthropic',
  model: 'claude-sonnet-5',
  dialect: anthropicMessages.id,
  native: ({ input, output, cacheRead }) => ({
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  }),
};

const GPT: Author = {
  provider: 'openai',
  model: 'gpt-5.5',
  dialect: openaiChat.id,
  native: ({ input, output, cacheRead, reasoning }) => ({
    prompt_tokens: input + cacheRead,
    completion_tokens: output + reasoning,
    total_tokens: input + cacheRead + output + reasoning,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }),
};

const GEMINI: Author = {
  provider: 'google',
  model: 'gemini-3.6-flash',
  dialect: googleGenerateContent.id,
  native: ({ input, output, cacheRead, reasoning }) => ({
    promptTokenCount: input + cacheRead,
    candidatesTokenCount: output,
    cachedContentTokenCount: cacheRead,
    thoughtsTokenCount: reasoning,
  }),
};

type Stop = NonNullable<TakeFacts['stop']>;

/** Blocks of an Anthropic message. */
export function claude(blocks: readonly object[], spent: Spending, stop = 'end_turn'): Answer {
  const reason = stop === 'tool_use' ? 'tool-use' : 'end';
  return answer(CLAUDE, { role: 'assistant', content: blocks }, spent, { reason, native: stop });
}

/** A message of OpenAI's chat completions: its text, or other members. */
export function gpt(said: string | object, spent: Spending, stop = 'stop'): Answer {
  const own = typeof said === 'string' ? { content: said } : said;
  const message = { role: 'assistant', content: null, refusal: null, annotations: [], ...own };
  const reason = stop === 'tool_calls' ? 'tool-use' : 'end';
  return answer(GPT, message, spent, { reason, native: stop });
}

/** Parts of Google's content. */
export function gemini(parts: readonly object[], spent: Spending): Answer {
  return answer(GEMINI, { parts, role: 'model' }, spent, { reason: 'end', native: 'STOP' });
}

/** The same answer, as far as it came before the connection broke. */
export function broken({ message, facts }: Answer): Answer {
  const { dialect: id, ...origin } = message.origin;
  return {
    message: dialect(id).parseMessage(message.raw, { ...origin, cut: true }),
    facts: { ...facts, estimated: true, stop: { reason: 'cut', native: undefined } },
  };
}

function answer(author: Author, message: object, given: Spending, stop: Stop): Answer {
  const { provider, model } = author;
  const spent = { cacheRead: 0, reasoning: 0, ...given };
  const { input, output, cacheRead, reasoning, seconds } = spent;
  const native = JSON.stringify(author.native(spent));
  const usage: Usage = { input, cacheRead, cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning, native };
  return {
    message: dialect(author.dialect).parseMessage(JSON.stringify(message), { issuer: ISSUER, model }),
    facts: {
      author: 'model',
      provider,
      model,
      usage,
      stop,
      durationMs: seconds * 1000,
      firstEventMs: Math.round(seconds * 180),
    },
  };
}
