import { expect, test } from 'vitest';
import { provider, resolveEndpoint } from './index.ts';

test('a provider without an address, and an address that is none, are mistakes of the configuration', () => {
  const { connection: _, ...nowhere } = provider('openai');
  expect(() => resolveEndpoint(nowhere)).toThrow(expect.objectContaining({ code: 'invalid_configuration' }));
  expect(() => resolveEndpoint(provider('openai'), { baseUrl: 'ftp://example.org' })).toThrow(
    expect.objectContaining({ code: 'invalid_configuration' }),
  );
});
