// The server, in a separate process so that its work is not counted: it takes any request of the four protocols
// and answers with the long stream, or, to a request that does not ask for one, with a short reply.
import { createServer } from 'node:http';
import { shortReply } from './data/replies.mjs';
import { PROTOCOLS, streamBody } from './data/streams.mjs';

const streams = new Map(PROTOCOLS.map((protocol) => [protocol, Buffer.from(streamBody(protocol))]));

/** Larger bodies are histories; none of those asks for a stream. */
const SMALL = 65_536;

const server = createServer((request, response) => {
  const protocol = protocolOf(request.url ?? '');
  let size = 0;
  /** @type {Buffer[]} */
  const start = [];
  request.on('data', (/** @type {Buffer} */ chunk) => {
    if (size < SMALL) start.push(chunk);
    size += chunk.length;
  });
  request.on('end', () => {
    if (!protocol) return response.writeHead(404).end(`{"error":{"message":"no such path: ${request.url}"}}`);
    const asked = request.url?.includes(':streamGenerateContent') || (size < SMALL && asksForStream(start));
    if (!asked) return response.writeHead(200, { 'content-type': 'application/json' }).end(shortReply(protocol));
    return response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streams.get(protocol));
  });
});
// Preparing a round can take longer than connections are kept by default.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());

/** @param {string} url */
function protocolOf(url) {
  if (url.includes('/messages')) return 'anthropic-messages';
  if (url.includes('/chat/completions')) return 'openai-chat';
  if (url.includes('/responses')) return 'openai-responses';
  return url.includes('enerateContent') ? 'google-generatecontent' : undefined;
}

/** @param {readonly Buffer[]} chunks */
function asksForStream(chunks) {
  return /"stream":\s*true/.test(Buffer.concat(chunks).toString());
}
