// A provider that answers at once: chat completions and Anthropic's messages, a short text or a stream of 20,000 deltas.
import { createServer } from 'node:http';

const DELTAS = 20_000;
const base = { id: 'chatcmpl-1', created: 1, model: 'm' };
const chat = JSON.stringify({
  ...{ ...base, object: 'chat.completion' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!', refusal: null }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
});
const usage = { input_tokens: 9, output_tokens: 2, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
};
const anthropic = JSON.stringify({ ...message, content: [{ type: 'text', text: 'Hello!' }], stop_reason: 'end_turn' });

const event = (value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const chunk = (delta, stop = null) =>
  `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: stop }] })}\n\n`;
const STREAMS = {
  chat: {
    head: chunk({ role: 'assistant', content: '' }),
    delta: chunk({ content: 'word ' }),
    end: `${chunk({}, 'stop')}data: [DONE]\n\n`,
  },
  anthropic: {
    head:
      event({ type: 'message_start', message }) +
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    delta: event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word ' } }),
    end:
      event({ type: 'content_block_stop', index: 0 }) +
      event({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 2 },
      }) +
      event({ type: 'message_stop' }),
  },
};

const server = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  const kind = request.url.includes('messages') ? 'anthropic' : 'chat';
  if (!/"stream":\s*true/.test(body)) {
    response.setHeader('content-type', 'application/json').end(kind === 'chat' ? chat : anthropic);
    return;
  }
  const { head, delta, end } = STREAMS[kind];
  response.setHeader('content-type', 'text/event-stream').write(head);
  // As a model does: a few at a time.
  for (let sent = 0; sent < DELTAS; sent += 20)
    if (!response.write(delta.repeat(20))) await new Promise((resolve) => response.once('drain', resolve));
  response.end(end);
});
// No contender meets a connection that is just being closed.
server.keepAliveTimeout = 3_600_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
