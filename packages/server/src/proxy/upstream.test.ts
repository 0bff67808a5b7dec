import { providers } from '@skein/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createUpstreams, joinPaths, type Upstream } from './upstream.ts';

test('what the base address ends with may be repeated, and counts once', () => {
  expect(joinPaths('/v1', ['v1', 'responses'])).toBe('/v1/responses');
  expect(joinPaths('/v1', ['responses'])).toBe('/v1/responses');
  expect(joinPaths('/api/v1', ['v1', 'models'])).toBe('/api/v1/models');
  expect(joinPaths('/api/v1', ['api', 'v1', 'models'])).toBe('/api/v1/models');
  expect(joinPaths('/', ['v1beta', 'models', 'a:generateContent'])).toBe('/v1beta/models/a:generateContent');
  expect(joinPaths('/v1', ['v1beta', 'models'])).toBe('/v1/v1beta/models');
});

test('a query stays as it was written', () => {
  const { path } = createUpstreams(providers(), {})('/proxy/google/v1beta/models?a=%20+&a&key=k?x');
  expect(path).toBe('/v1beta/models?a=%20+&a&key=k?x');
});

test('no path leads to another host, or above the base address', () => {
  const env = { OPENAI_BASE_URL: 'https://gateway.example/inner/v1' };
  const part = fc.oneof(
    fc.constantFrom('..', '.', '%2e%2e', '..%2f', '%5c..', '//evil.example', '@evil.example', ':80', 'v1', 'inner', ''),
    fc.webPath(),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      let target: Upstream;
      try {
        target = createUpstreams(providers(), env)(`/proxy/openai/${parts.join('/')}`);
      } catch (error) {
        expect(error).toMatchObject({ name: 'Problem' });
        return;
      }
      const sent = new URL(`${target.origin.origin}${target.path}`);
      expect(sent.host).toBe('gateway.example');
      expect(sent.pathname.startsWith('/inner/v1')).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test.each([1, 2, 5, 9, 40])('".." that is encoded %i-fold goes nowhere', (times) => {
  const targetOf = createUpstreams(providers(), {});
  let dots = '%2e%2e';
  for (let count = 1; count < times; count++) dots = dots.replaceAll('%', '%25');
  expect(() => targetOf(`/proxy/openai/v1/${dots}/x`)).toThrow(expect.objectContaining({ code: 'bad_path' }));
  // A part that cannot be decoded does not hide the others.
  expect(() => targetOf(`/proxy/openai/v1/a%25zz/${dots.replaceAll('%', '%25')}/x`)).toThrow('lead elsewhere');
});
