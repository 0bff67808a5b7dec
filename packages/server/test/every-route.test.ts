import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../scripts/test-shares.ts';
import { startWorld, type World } from './kit.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
}

async function operations({ server }: World): Promise<Operation[]> {
  const document = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as { paths: Record<string, object> };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
}

describe('every route', () => {
  test('is in the OpenAPI document, and everything in the document is a route', async () => {
    const world = await startWorld();
    const { createApp } = await import('../src/app.ts');
    const app = createApp({ version: '0', metrics: { count: () => {} } } as never, {
      checkSource() {},
      checkToken: () => undefined,
    });
    const routes = app.routes
      .filter(({ path, method }) => path.startsWith('/api/v1/') && method !== 'ALL')
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`);
    const documented = (await operations(world)).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(documented)).toEqual(new Set(routes));
    expect(documented.length).toBeGreaterThan(40);
  });

  test('answers nonsense with a clean 4xx, never with a 500, and says nothing of its insides', async () => {
    const errors: unknown[] = [];
    const world = await startWorld({ log: { info: () => undefined, error: (...facts) => void errors.push(facts) } });
    const all = (await operations(world)).filter(({ path }) => !/changes$|events$/.test(path));
    const hostileText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        '..',
        '../../etc/passwd',
        '%00',
        '%2e%2e',
        '__proto__',
        'constructor',
        '-1',
        '1e999',
        'root',
        '0'.repeat(40),
        'a'.repeat(5000),
        "' OR 1=1 --",
        '<script>',
        '\u0000',
        '\ud800',
        '*',
      ),
    );
    const body = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc.string({ maxLength: 50 }),
      fc.constantFrom(
        '{"__proto__":{"a":1}}',
        '[',
        '{"messages":[{}]}',
        '{"messages":[{"role":"user","content":[{"type":"text","text":1}]}]}',
        '{"node":"root"}',
        `${'['.repeat(20_000)}`,
        '{"title":null,"tags":{"":true}}',
        '{"at":-1}',
        '{"text":5}',
        '{"onto":"root"}',
        'null',
      ),
    );
    const type = fc.constantFrom(
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json; charset=utf-7',
      '',
    );
    const request = fc.record({
      operation: fc.constantFrom(...all),
      ids: fc.array(hostileText, { minLength: 3, maxLength: 3 }),
      query: fc.dictionary(
        fc.constantFrom(
          'after',
          'limit',
          'q',
          'node',
          'below',
          'since',
          'a',
          'b',
          'format',
          'raw',
          'status',
          'thread',
          'x',
        ),
        hostileText,
        { maxKeys: 4 },
      ),
      body,
      type,
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ operation: { method, path }, ids, query, body: text, type: contentType }) => {
        let index = 0;
        const filled = path.replace(/\{\w+\}/g, () => safeEncode(ids[index++ % ids.length]!));
        const search = Object.entries(query).map(([name, value]) => `${name}=${safeEncode(value)}`);
        const response = await fetch(`${world.server.url}${filled}${search.length > 0 ? `?${search.join('&')}` : ''}`, {
          method,
          headers: contentType === '' ? {} : { 'content-type': contentType },
          ...(method !== 'GET' && { body: Buffer.from(text) }),
          redirect: 'manual',
        });
        const answer = await response.text();
        expect(response.status, `${method} ${filled} ${text} → ${answer} ${String(errors.at(-1))}`).toBeLessThan(500);
        expect(answer).not.toMatch(/node_modules|\.ts:\d+|at async/);
        if (response.status < 400) return;
        expect(response.headers.get('content-type')).toBe('application/problem+json');
        expect(JSON.parse(answer)).toMatchObject({
          status: response.status,
          code: expect.any(String),
          detail: expect.any(String),
        });
      }),
      { numRuns: runs(600) },
    );
    expect(errors).toEqual([]);
    expect((await world.api('GET', '/health')).status).toBe(200);
  });

  test('carries the headers that keep pages harmless, also on errors', async () => {
    const world = await startWorld();
    for (const path of ['/api/v1/threads', '/api/v1/nodes/none', '/api/nothing', '/api/openapi.json']) {
      const { headers } = await fetch(`${world.server.url}${path}`);
      expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('access-control-allow-origin'), path).toBeNull();
    }
  });
});

function safeEncode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
