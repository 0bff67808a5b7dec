import { MessageList, run, system, tool, toolResult, user } from '@skein/core';

/** @import { Adapter, Turn } from '../adapter.mjs' */

const HOMES = {
  'anthropic-messages': 'anthropic',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai',
  'google-generatecontent': 'google',
};

/** @type {Adapter} */
export const adapter = {
  name: 'Skein',
  packages: ['@skein/core'],
  protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'google-generatecontent'],
  streams: [false, true],
  async first(turn, instruction, question) {
    return JSON.stringify(await answered(turn, new MessageList([system(instruction), user(question)])));
  },
  async next(turn, saved, { say, results }) {
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
