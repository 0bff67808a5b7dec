// A long conversation: questions, answers, tool calls and their results.
import { opaque, prose, random } from './words.mjs';

/** @import { Protocol } from './streams.mjs' */

/**
 * @typedef {{ kind: 'user', text: string }} UserTurn
 * @typedef {{ id: string, name: string, input: { city: string, detail: string } }} Call
 * @typedef {{ kind: 'assistant', text: string, thought: string, calls: readonly Call[] }} AssistantTurn
 * @typedef {{ kind: 'result', call: Call, text: string }} ResultTurn
 * @typedef {UserTurn | AssistantTurn | ResultTurn} Turn
 */

export const SYSTEM = `You are a careful assistant. ${prose(random(1), 1500)}`;

export const TOOLS = ['get_weather', 'search_notes'].map((name) => ({
  name,
  description: `${name}: ${prose(random(2), 200)}`,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, detail: { type: 'string' } },
    required: ['city'],
  },
}));

/** How many messages a long history has. */
export const HISTORY = 10_000;

/** How many streams or turns the rows "as a user calls it" count in one process. */
export const COUNTED = 5;

/** The share of the usual length that short messages have: 10,000 of them are about 2.8 MB. */
export const SHORT = 0.15;

/**
 * Turns without end, in this order again and again: a plain answer, one with a tool call, one with two. Texts have
 * 400 to 1,800 characters, or the given share of that.
 * @returns {Generator<Turn, never>}
 */
export function* turns(share = 1) {
  const next = random(10_000);
  const text = () => prose(next, (400 + next() * 1400) * share);
  const call = () => ({
    id: `call_${opaque(next, 24)}`,
    name: next() < 0.5 ? 'get_weather' : 'search_notes',
    input: { city: next() < 0.5 ? 'Zürich' : 'Paris', detail: prose(next, 300 * share) },
  });
  for (let count = 0; ; count = (count + 1) % 3) {
    yield { kind: 'user', text: text() };
    if (count > 0) {
      const calls = Array.from({ length: count }, call);
      yield { kind: 'assistant', text: prose(next, 60), thought: prose(next, 300 * share), calls };
      for (const made of calls) yield { kind: 'result', call: made, text: text() };
    }
    yield { kind: 'assistant', text: text(), thought: '', calls: [] };
  }
}

/**
 * The first turns, up to this number, and then more until the last message is a question.
 * @param {number} count
 * @param {number} [share] of the usual length of texts
 */
export function conversation(count, share) {
  /** @type {Turn[]} */
  const taken = [];
  for (const turn of turns(share)) {
    taken.push(turn);
    if (taken.length >= count && turn.kind === 'user') return taken;
  }
  return taken;
}

/**
 * What a conversation grows by: a plain answer and the next question, other ones each time.
 * @param {number} [share] of the usual length of texts
 * @returns {() => [AssistantTurn, UserTurn]}
 */
export function moreTurns(share) {
  const source = turns(share);
  return () => [
    take(source, (turn) => turn.kind === 'assistant' && turn.calls.length === 0),
    take(source, (turn) => turn.kind === 'user'),
  ];
}

/**
 * @template {Turn} Kind
 * @param {Iterator<Turn, never>} source
 * @param {(turn: Turn) => boolean} fits
 */
function take(source, fits) {
  for (;;) {
    const { value } = source.next();
    if (fits(value)) return /** @type {Kind} */ (value);
  }
}

/**
 * An assistant's turn as the provider would have sent it. Those that call tools have thought before, and carry its
 * signature or ciphertext.
 * @param {Protocol} protocol
 * @param {AssistantTurn} turn
 */
export function nativeReply(protocol, turn) {
  return JSON.stringify(REPLIES[protocol](turn));
}

/** @type {Record<Protocol, (turn: AssistantTurn) => unknown>} */
const REPLIES = {
  'anthropic-messages': ({ text, thought, calls }) => ({
    role: 'assistant',
    content: [
      ...(thought ? [{ type: 'thinking', thinking: thought, signature: seal(thought) }] : []),
      { type: 'text', text },
      ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
  }),
  'openai-chat': ({ text, calls }) => ({
    role: 'assistant',
    content: text,
    refusal: null,
    annotations: [],
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    }),
  }),
  'openai-responses': ({ text, thought, calls }) => [
    ...(thought
      ? [{ id: `rs_${calls[0]?.id}`, type: 'reasoning', summary: [], encrypted_content: seal(thought) }]
      : []),
    {
      id: `msg_${seal(text).slice(0, 40)}`,
      type: 'message',
      status: 'completed',
      content: [{ type: 'output_text', annotations: [], logprobs: [], text }],
      role: 'assistant',
    },
    ...calls.map(({ id, name, input }) => ({
      id: `fc_${id}`,
      type: 'function_call',
      status: 'completed',
      arguments: JSON.stringify(input),
      call_id: id,
      name,
    })),
  ],
  'google-generatecontent': ({ text, thought, calls }) => ({
    parts: [
      { text },
      ...calls.map(({ id, name, input }, index) => ({
        functionCall: { id, name, args: input },
        ...(index === 0 && { thoughtSignature: seal(thought) }),
      })),
    ],
    role: 'model',
  }),
};

/** @param {string} text */
function seal(text) {
  return opaque(random(text.length), 400);
}
