// What each SDK is asked to do through the gateway, and how a client under `clients/` is made.

/**
 * @typedef {object} ClientCall
 * @property {string} id
 * @property {string} name
 * @typedef {object} ClientTurn what the SDK says that the model said
 * @property {string} text
 * @property {readonly ClientCall[]} calls
 * @typedef {object} ClientConversation
 * @property {(text: string, image?: string) => Promise<ClientTurn>} say
 * @property {(calls: readonly ClientCall[], result: string) => Promise<ClientTurn>} answer all calls of the last turn
 * @property {(text: string) => Promise<void>} leave reads the beginning of a stream, and no more
 * @property {(text: string) => Promise<unknown>} shape asks, apart from the conversation, for an answer by `SHAPE`
 * @typedef {object} GatewayClient
 * @property {string} package
 * @property {string} protocol that it speaks
 * @property {boolean} [takesImages] false if it sends none to a model whose name it does not know
 * @property {(options: ClientOptions) => ClientConversation} open
 * @typedef {object} ClientOptions
 * @property {string} url of the gateway, with `/gateway`
 * @property {string} model
 * @property {boolean} isStreamed
 */

/** The clients by the names of their files, and what each of them exports. */
export const CLIENTS = ['openai-chat', 'openai-responses', 'anthropic', 'google', 'vercel-ai', 'langchain'];

export const SYSTEM = 'Be brief.';
export const TOOL = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
export const RESULT = 'Three degrees, rain.';
/** The schema of a structured answer, and the answer. */
export const SHAPE = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
};
export const SHAPED = { city: 'Oslo', degrees: 3 };
export const FAILURE = 'The model is thinking of something else.';
/** The statuses that a provider fails with, and those that say the same in the protocol of the client. */
export const STATUSES = new Map([
  [400, [400]],
  [401, [401]],
  [403, [403]],
  [404, [404]],
  [413, [400, 413]],
  [429, [429]],
  [500, [500, 502]],
  [503, [503, 529]],
]);
/** A red dot. */
export const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==';

/** What the emulator is asked, and what it says then. */
export const WORDS = {
  weather: 'How is the weather in Oslo and in Rome?',
  image: 'What is this?',
  fail: 'Now fail with',
  shape: 'How cold is it?',
  long: 'Tell me a long story.',
  thanks: 'Thank you!',
};
