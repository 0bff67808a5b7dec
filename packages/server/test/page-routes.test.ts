import { describe, expect, test } from 'vitest';
import { startWorld } from './kit.ts';

describe('models', () => {
  test('lists what can be asked, the configured model first, and nothing of providers without a key', async () => {
    const { api } = await startWorld({ model: 'mistral/own-model' });
    const { body } = await api('GET', '/models');
    expect(body.items[0]).toEqual({ id: 'mistral/own-model', provider: 'mistral', model: 'own-model', hasKey: false });
    const known = body.items.find(({ id }: { id: string }) => id === 'anthropic/claude-sonnet-4-5');
    expect(known).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5', hasKey: true });
    expect(known.contextTokens).toBeGreaterThan(100_000);
    const providers = new Set(body.items.map(({ provider }: { provider: string }) => provider));
    expect(providers).toContain('google');
    expect(providers).not.toContain('groq');
    const { body: some } = await api('GET', '/models?provider=openai');
    expect(new Set(some.items.map(({ provider }: { provider: string }) => provider))).toEqual(new Set(['openai']));
    expect((await api('GET', '/settings')).body.model).toBe('mistral/own-model');
  });
});
