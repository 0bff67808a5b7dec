import { loadDialect, MessageList, run, system, tool, toolResult, user } from '@skein/core';

/** @import { Adapter, Turn } from '../adapter.mjs' */

const HOMES = {
  'anthropic-messages': 'anthropic',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai',
  'google-generatecontent': 'google',
  'google-interactions': 'google-interactions',
  'bedrock-converse': 'bedrock',
  'cohere-chat': 'cohere',
};

/** @type {Adapter} */
export const adapter = {
  name: 'Skein',
  packages: ['@skein/core'],
  protocols: [
    'anthropic-messages',
    'openai-chat',
    'openai-responses',
    'google-generatecontent',
    'google-interactions',
    'bedrock-converse',
    'cohere-chat',
  ],
  streams: [false, true],
  async first(turn, instruction, question) {
    return JSON.stringify(await answered(turn, new MessageList([system(instruction), user(question)])));
  },
  async next(turn, saved, { say, results }) {
    // Protocols that the main entry leaves out are loaded before what they wrote is read.
    await loadDialect(turn.protocol);
    const list = MessageList.fromJSON(saved);
    list.extend(results.map(({ id, text }) => toolResult(id, text)));
    if (say !== undefined) list.append(user(say));
    await answered(turn, list);
  },
};

/**
 * @param {Turn} turn
 * @param {MessageList} list
 */
async function answered({ protocol, baseUrl, model, stream, tools }, list) {
  const { messages, manifest } = await run({
    model: `${HOMES[protocol]}/${model}`,
    apiKey: 'none',
    baseUrl,
    stream,
    messages: list,
    previous: list.manifest,
    tools: tools.map(({ name, description, parameters }) =>
      tool({ name, description, input: parameters, needsApproval: true, execute: () => '' }),
    ),
  }).result;
  list.extend(messages);
  list.manifest = manifest;
  return list;
}
