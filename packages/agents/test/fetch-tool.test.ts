import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { type FetchToolOptions, fetchTool } from '@skein/agents';
import { expect, test } from 'vitest';
import { call, later } from './kit.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  later(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = (url: string, options: FetchToolOptions = {}) => call(fetchTool(options), { url });

test('text, images and failures', async () => {
  const host = await serve((request, response) => {
    const type =
      request.url === '/image' ? 'image/png' : request.url === '/zip' ? 'application/zip' : 'text/plain; charset=utf-8';
    response.writeHead(request.url === '/gone' ? 404 : 200, { 'content-type': type }).end('Grüße');
  });
  const options = { privateHosts: [host] };
  expect(await get(`http://${host}/`, options)).toBe(`http://${host}/ answered 200, text/plain:\n\nGrüße`);
  expect(await get(`http://${host}/gone`, options)).toContain('answered 404');
  expect(await get(`http://${host}/image`, options)).toMatchObject([
    { type: 'text' },
    { type: 'media', mediaType: 'image/png' },
  ]);
  await expect(get(`http://${host}/zip`, options)).rejects.toThrow('not text');
});

const PRIVATE = [
  'http://127.0.0.1/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[fd00::1]/',
  'http://[fe80::1]/',
  'http://0.0.0.0/',
  'http://0/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
];
test.each(PRIVATE)('%s is not asked', async (url) => {
  await expect(get(url)).rejects.toThrow('its address is not public');
});

test.each(['file:///etc/passwd', 'ftp://example.com/', 'data:text/plain,x', 'gopher://x/'])(
  '%s is not asked',
  async (url) => {
    await expect(get(url)).rejects.toThrow('only http and https');
  },
);

test('a name that stands for a private address is not asked, also if it has public ones', async () => {
  const resolve = async () => [
    { address: '93.184.216.34', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ];
  await expect(get('http://innocent.example/', { resolve })).rejects.toThrow('not public');
  await expect(get('http://nobody.example/', { resolve: async () => [] })).rejects.toThrow('no address');
});

test('a name is looked up once: it cannot stand for another address when it is asked', async () => {
  let lookups = 0;
  const host = await serve((_, response) => response.end('inside'));
  const port = host.split(':')[1];
  const resolve = async () => {
    lookups++;
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const options = { resolve, privateHosts: [`rebind.example:${port}`] };
  await expect(get(`http://rebind.example:${port}/`, options)).rejects.toThrow('not text');
  expect(lookups).toBe(1);
});

test('a redirect to a private address is not followed, nor one to another protocol, nor one without end', async () => {
  const secret = await serve((_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('the secret'),
  );
  const host = await serve((request, response) => {
    const to = { '/a': `http://${secret}/`, '/b': 'file:///etc/passwd', '/c': '/c', '/d': 'http://u:p@example.com/' }[
      request.url ?? ''
    ];
    response.writeHead(302, { location: to ?? '/' }).end();
  });
  const options = { privateHosts: [host] };
  await expect(get(`http://${host}/a`, options)).rejects.toThrow('not public');
  await expect(get(`http://${host}/b`, options)).rejects.toThrow('only http and https');
  await expect(get(`http://${host}/c`, options)).rejects.toThrow('more than 5 redirects');
  await expect(get(`http://${host}/d`, options)).rejects.toThrow('a name or a password');
});

test('only the hosts that are named', async () => {
  await expect(get('http://other.example/', { hosts: ['example.com'] })).rejects.toThrow('example.com');
});

test('what is long is cut, also after unpacking', async () => {
  const packed = gzipSync(Buffer.alloc(5_000_000, 'x'));
  const host = await serve((request, response) => {
    const isPacked = request.url === '/packed';
    response.writeHead(200, { 'content-type': 'text/plain', ...(isPacked && { 'content-encoding': 'gzip' }) });
    if (isPacked) response.end(packed);
    else {
      const more = () => {
        while (response.write('y'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    }
  });
  const options = { privateHosts: [host], maxBytes: 1_000 };
  expect(String(await get(`http://${host}/packed`, options)).length).toBeLessThan(1_200);
  expect(String(await get(`http://${host}/endless`, options))).toContain('cut because it is too long');
});

test('a server that says nothing is given up, also when memory is collected while it is waited for', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const host = await serve(() => {
    collect();
    setTimeout(collect, 20);
  });
  await expect(get(`http://${host}/`, { privateHosts: [host], seconds: 0.2 })).rejects.toThrow('after 0.2 seconds');
});
