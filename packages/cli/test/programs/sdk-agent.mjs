// A small agent on a vendor's SDK: it asks, runs its tool, which writes a line to a file, and asks again until there is no call.
// `sdk-agent.mjs chat|responses|anthropic|google whole|stream <file>`
import { appendFileSync } from 'node:fs';

const [api = '', how, file = ''] = process.argv.slice(2);
const stream = how === 'stream';
const TASK = 'Write two lines.';
const SCHEMA = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const DESCRIPTION = 'Writes a line.';

/** @param {{ text: string }} input */
function note({ text }) {
  appendFileSync(file, `${text}\n`);
  return 'Written.';
}

const AGENTS = { chat, responses, anthropic, google };
console.log(await AGENTS[/** @type {keyof typeof AGENTS} */ (api)]());

async function chat() {
  const { default: OpenAI } = await import('openai');
  const openai = new OpenAI({ maxRetries: 0 });
  /** @type {any[]} */
  const messages = [{ role: 'user', content: TASK }];
  /** @type {any[]} */
  const tools = [{ type: 'function', function: { name: 'note', description: DESCRIPTION, parameters: SCHEMA } }];
  for (;;) {
    const request = { model: 'gpt-5.2', messages, tools };
    const reply = stream
      ? await openai.chat.completions.stream(request).finalChatCompletion()
      : await openai.chat.completions.create(request);
    const message = /** @type {any} */ (reply.choices[0]?.message);
    messages.push(message);
    if (!message.tool_calls?.length) return message.content;
    for (const { id, function: called } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: note(JSON.parse(called.arguments)) });
  }
}

async function responses() {
  const { default: OpenAI } = await import('openai');
  const openai = new OpenAI({ maxRetries: 0 });
  /** @type {any[]} */
  const input = [{ role: 'user', content: TASK }];
  /** @type {any[]} */
  const tools = [{ type: 'function', name: 'note', description: DESCRIPTION, parameters: SCHEMA, strict: false }];
  for (;;) {
    const request = { model: 'gpt-5.2', input, tools, store: false };
    const reply = stream
      ? await openai.responses.stream(request).finalResponse()
      : await openai.responses.create(request);
    // The helper of streams adds what it parsed, which the API refuses.
    const output = /** @type {any[]} */ (reply.output);
    input.push(...output.map(({ parsed_arguments: _parsed, ...item }) => item));
    const calls = output.filter(({ type }) => type === 'function_call');
    if (calls.length === 0) return reply.output_text;
    for (const { call_id, arguments: text } of calls)
      input.push({ type: 'function_call_output', call_id, output: note(JSON.parse(text)) });
  }
}

async function anthropic() {
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({ maxRetries: 0 });
  /** @type {any[]} */
  const messages = [{ role: 'user', content: TASK }];
  /** @type {any[]} */
  const tools = [{ name: 'note', description: DESCRIPTION, input_schema: SCHEMA }];
  for (;;) {
    const request = { model: 'claude-sonnet-4-5', max_tokens: 1000, messages, tools };
    const reply = stream ? await client.messages.stream(request).finalMessage() : await client.messages.create(request);
    const content = /** @type {any[]} */ (reply.content);
    messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return content.map(({ text = '' }) => text).join('');
    const results = calls.map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: note(input) }));
    messages.push({ role: 'user', content: results });
  }
}

async function google() {
  const { GoogleGenAI } = await import('@google/genai');
  const client = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY ?? process.env.GOOGLE_API_KEY ?? '' });
  /** @type {any[]} */
  const contents = [{ role: 'user', parts: [{ text: TASK }] }];
  /** @type {any[]} */
  const tools = [{ functionDeclarations: [{ name: 'note', description: DESCRIPTION, parametersJsonSchema: SCHEMA }] }];
  for (;;) {
    const request = { model: 'gemini-3-pro', contents, config: { tools } };
    /** @type {any[]} */
    const parts = [];
    const pieces = stream
      ? await client.models.generateContentStream(request)
      : [await client.models.generateContent(request)];
    for await (const { candidates } of pieces) parts.push(...(candidates?.[0]?.content?.parts ?? []));
    contents.push({ role: 'model', parts });
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
    if (calls.length === 0) return parts.map(({ text = '' }) => text).join('');
    const results = calls.map(({ id, name, args }) => ({
      functionResponse: { ...(id && { id }), name, response: { output: note(args) } },
    }));
    contents.push({ role: 'user', parts: results });
  }
}
