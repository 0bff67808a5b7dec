// A plain pass-through in ten lines of Node.
import { Agent, request as ask, createServer } from 'node:http';

const [, , upstream] = process.argv;
const agent = new Agent({ keepAlive: true });
const server = createServer((client, answer) => {
  const { method, headers, url } = client;
  const asked = ask(upstream + url, { method, headers: { ...headers, host: new URL(upstream).host }, agent }, (got) => {
    answer.writeHead(got.statusCode, got.headers);
    got.pipe(answer);
  });
  client.pipe(asked);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
