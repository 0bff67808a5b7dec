// What each of the vendors' SDKs is asked to do, and how a client under `clients/` is made.

/** @import { Emulator } from '@skein/emulator' */

/**
 * @typedef {Parameters<Emulator['script']>} Script
 * @typedef {object} SdkCall
 * @property {string} id
 * @property {string} name
 * @property {unknown} [input]
 * @typedef {object} SdkTurn what the SDK says that the model said
 * @property {string} text
 * @property {readonly SdkCall[]} calls
 * @typedef {object} SdkConversation
 * @property {(text: string) => Promise<SdkTurn>} say
 * @property {(call: SdkCall, result: string) => Promise<SdkTurn>} answer
 * @property {() => void} [close]
 * @typedef {object} Sdk
 * @property {string} name
 * @property {string} package
 * @property {Script[0]} protocol
 * @property {readonly Mode[]} modes
 * @property {(options: { proxy: string, key: string, account: AwsKeys, isStreamed: boolean }) => SdkConversation} open
 * @typedef {'JSON' | 'stream' | 'socket'} Mode
 * @typedef {{ accessKeyId: string, secretAccessKey: string }} AwsKeys
 */

/** The SDKs by the names of their files. */
export const SDKS = [
  'openai-chat',
  'openai-responses',
  'openai-socket',
  'anthropic',
  'anthropic-threads',
  'anthropic-bedrock',
  'anthropic-vertex',
  'google',
  'google-interactions',
  'aws-bedrock',
  'cohere',
];

export const SYSTEM = 'Be brief.';
export const TOOL = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
export const RESULT = 'Three degrees, rain.';
export const ANSWER = 'It is cold, and it rains.';
export const FAILURE = 'The model is thinking of something else.';

/** @param {Mode} mode */
export const question = (mode) => `How is the weather in Oslo? (${mode})`;

/** What the emulator answers in each mode: a call, a text, and an error. */
export const REPLIES = /** @type {const} */ ([
  {
    blocks: [
      { type: 'text', text: 'I look it up.' },
      { type: 'tool-use', name: TOOL.name, input: { city: 'Oslo' } },
    ],
  },
  { blocks: [{ type: 'text', text: ANSWER }], pieces: 5 },
  { error: { status: 400, message: FAILURE } },
]);
