// Requests and responses in their wire format. Shares no code with the readers.

/**
 * A message as the simulation knows it.
 * @typedef {object} Said
 * @property {'user' | 'assistant' | 'result'} role
 * @property {string} text
 * @property {string} [call] the id of a tool call, or of the call that a result belongs to
 * @property {string} [signature] of a thought that stands before it
 * @property {string} [item] the id under which the provider issued it
 * @property {string} [compacted] the provider's encrypted summary of what was said before it
 */

/** @typedef {{ said: readonly Said[], system: string | undefined, hasTools: boolean, model: string }} Content */

const TOOL = { name: 'look_up', description: 'Looks something up.' };
const SCHEMA = { type: 'object', properties: { what: { type: 'string' } } };

/** @type {Readonly<Record<string, { url: string, body(content: Content): object, reply(id: string, choices: readonly Said[]): object, cut(id: string, said: Said): string }>>} */
export const WIRE = {
  chat: {
    url: 'https://api.openai.com/v1/chat/completions',
    body: ({ said, system, hasTools, model }) => ({
      model,
      messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...said.map(chatMessage)],
      ...(hasTools && { tools: [{ type: 'function', function: { ...TOOL, parameters: SCHEMA } }] }),
    }),
    reply: (id, choices) => ({
      id: `chatcmpl-${id}`,
      model: 'gpt-5.5',
      choices: choices.map((said, index) => ({ index, message: chatMessage(said), finish_reason: 'stop' })),
    }),
    cut: (id, said) =>
      `data: ${JSON.stringify({ id: `chatcmpl-${id}`, choices: [{ index: 0, delta: { role: 'assistant', content: said.text.slice(0, 3) } }] })}\n\n`,
  },
  claude: {
    url: 'https://api.anthropic.com/v1/messages',
    body: ({ said, system, hasTools, model }) => ({
      model,
      max_tokens: 4000,
      ...(system !== undefined && { system }),
      messages: said.map((one) => ({
        role: one.role === 'assistant' ? 'assistant' : 'user',
        content: claudeBlocks(one),
      })),
      ...(hasTools && { tools: [{ ...TOOL, input_schema: SCHEMA }] }),
    }),
    reply: (id, [said]) => ({
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: claudeBlocks(/** @type {Said} */ (said)),
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
    cut: (id, said) =>
      [
        {
          type: 'message_start',
          message: {
            id: `msg_${id}`,
            type: 'message',
            role: 'assistant',
            model: 'claude-opus-5-5',
            content: [],
            usage: { input_tokens: 1, output_tokens: 1 },
          },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said.text.slice(0, 3) } },
      ]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(''),
  },
  responses: {
    url: 'https://api.openai.com/v1/responses',
    body: ({ said, system, model }) => ({
      model,
      ...(system !== undefined && { instructions: system }),
      input: said.flatMap(responseItems),
    }),
    reply: (id, [said]) => ({
      id: `resp_${id}`,
      object: 'response',
      status: 'completed',
      model: 'gpt-5.5',
      output: responseItems(/** @type {Said} */ (said)),
    }),
    cut: (id) =>
      `event: response.created\ndata: ${JSON.stringify({ type: 'response.created', response: { id: `resp_${id}`, object: 'response', status: 'in_progress', model: 'gpt-5.5', output: [] } })}\n\n`,
  },
  google: {
    url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:generateContent',
    body: ({ said, system }) => ({
      ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
      contents: said.map(({ role, text }) => ({ role: role === 'assistant' ? 'model' : 'user', parts: [{ text }] })),
    }),
    reply: (_, choices) => ({
      candidates: choices.map(({ text }, index) => ({
        index,
        content: { role: 'model', parts: [{ text }] },
        finishReason: 'STOP',
      })),
    }),
    cut: (_, said) =>
      `data: ${JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: said.text.slice(0, 3) }] } }] })}\n\n`,
  },
};

/** @param {Said} said */
function chatMessage({ role, text, call }) {
  if (role === 'result') return { role: 'tool', tool_call_id: call, content: text };
  if (call === undefined) return { role, content: text };
  const used = { id: call, type: 'function', function: { name: TOOL.name, arguments: JSON.stringify({ what: text }) } };
  return { role, content: null, tool_calls: [used] };
}

/** @param {Said} said */
function claudeBlocks({ role, text, call, signature }) {
  if (role === 'result') return [{ type: 'tool_result', tool_use_id: call, content: text }];
  if (role === 'user') return text;
  return [
    ...(signature === undefined ? [] : [{ type: 'thinking', thinking: 'Let me see.', signature }]),
    call === undefined
      ? { type: 'text', text }
      : { type: 'tool_use', id: call, name: TOOL.name, input: { what: text } },
  ];
}

/** @param {Said} said @returns {object[]} */
function responseItems({ role, text, signature, item, compacted }) {
  if (role === 'user') return [{ role: 'user', content: text }];
  return [
    ...(compacted === undefined ? [] : [{ type: 'compaction', id: `cmp_${item}`, encrypted_content: compacted }]),
    ...(signature === undefined
      ? []
      : [{ type: 'reasoning', id: `rs_${item}`, summary: [], encrypted_content: signature }]),
    {
      type: 'message',
      id: `msg_${item}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ];
}
