import { expect, it } from 'vitest';
import { exchange, openaiChat, ProviderError } from '../../src/index.ts';
import { hasCorpus, refusals } from './recordings.ts';

/** What a recorded refusal becomes. */
async function errorOf(status: number, body: string): Promise<ProviderError> {
  const fetch = async () => new Response(body, { status });
  const options = { provider: openaiChat.home, model: 'm', body: '{}', key: 'some-key', fetch, retry: false as const };
  const error: unknown = await exchange({ ...options, stream: false }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ProviderError)) throw new Error(`no ProviderError for ${status} ${body}`);
  return error;
}

it.runIf(hasCorpus)(
  'recorded refusals are understood (skipped where the recordings are not beside the project)',
  async () => {
    const counts: Record<string, number> = {};
    for (const { name, status, body } of refusals()) {
      const error = await errorOf(status, body);
      counts[error.code] = (counts[error.code] ?? 0) + 1;
      expect.soft(error.rawBody, name).toBe(body);
      expect.soft(error.message, name).not.toContain('no explanation');
      expect.soft(error.retryable, name).toBe(error.code === 'rate_limit');
      if (/not exist|not found|"model: /.test(error.message)) expect.soft(error.code, name).toBe('not_found');
    }
    console.log('refusals', counts);
    expect(counts.rate_limit).toBe(2);
    expect(counts.quota).toBe(1);
  },
);
