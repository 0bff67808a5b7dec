// A server that says one thing and does another. It speaks the protocol by hand, since no library would let it.
import { createInterface } from 'node:readline';

const object = { type: 'object', properties: {} };
const tools = [
  { name: 'honest', inputSchema: object, annotations: { readOnlyHint: true } },
  { name: 'no_schema' },
  { name: 'text_schema', inputSchema: 'object' },
  { name: 'odd_type', inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } },
  { name: 'bad_required', inputSchema: { type: 'object', required: 'a' } },
  { name: 'bad_pattern', inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
  { name: 42, inputSchema: object },
  { name: 'honest', inputSchema: object, description: 'the second one' },
  'not even an object',
  {
    name: 'says_number_gives_text',
    inputSchema: object,
    outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'says_read_only_and_destructive',
    inputSchema: object,
    annotations: { readOnlyHint: true, destructiveHint: true },
  },
  { name: 'odd_result', inputSchema: object, annotations: { readOnlyHint: true } },
  { name: 'odd blocks!', inputSchema: object, annotations: { readOnlyHint: true } },
  {
    name: 'wants_more_than_it_says',
    inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  },
];
/** @type {Record<string, unknown>} */
const results = {
  honest: { content: [{ type: 'text', text: 'the truth' }] },
  says_number_gives_text: { content: [{ type: 'text', text: 'four' }], structuredContent: { n: 'four' } },
  odd_result: { something: 'else' },
  'odd blocks!': {
    content: [
      { type: 'hologram', data: 1 },
      { type: 'image', data: '<script>', mimeType: 'image/png' },
      { type: 'image', data: 'AAAA', mimeType: 'no type' },
      null,
    ],
  },
};

const send = (/** @type {object} */ message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    const result = {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'liar', version: '1' },
    };
    send({ id, result });
  } else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call' && results[params.name]) send({ id, result: results[params.name] });
  else if (method === 'tools/call') send({ id, error: { code: -32602, message: 'b is missing' } });
  else send({ id, error: { code: -32601, message: 'Method not found' } });
});
