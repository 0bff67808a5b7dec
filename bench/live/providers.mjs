// The providers, with their keys and base URLs.
import { startEmulator } from '@skein/emulator';

/** The only key that the emulator accepts. */
const KEY = 'live-0123456789';

/** @typedef {{ provider: string, model: string, apiKey: string, baseUrl?: string, real: boolean, from: string }} Asked */

/** @type {readonly { provider: string, keys: readonly string[], model: string, protocol: import('@skein/emulator').Protocol }[]} */
const PROVIDERS = [
  { provider: 'anthropic', keys: ['ANTHROPIC_API_KEY'], model: 'claude-sonnet-4-5', protocol: 'anthropic-messages' },
  { provider: 'openai', keys: ['OPENAI_API_KEY'], model: 'gpt-5-mini', protocol: 'openai-responses' },
  { provider: 'openai-chat', keys: ['OPENAI_API_KEY'], model: 'gpt-4o-mini', protocol: 'openai-chat' },
  {
    provider: 'google',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    model: 'gemini-2.5-flash',
    protocol: 'google-generatecontent',
  },
];

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Promise<{ asked: Asked[], end(): Promise<void> }>}
 */
export async function providersIn(env) {
  const emulator = await startEmulator({ brain: 'demo', key: KEY, seed: 'live', sleep: async () => {} });
  const asked = PROVIDERS.map(({ provider, keys, model, protocol }) => {
    const key = keys.find((name) => env[name]);
    const chosen = env[`SKEIN_LIVE_${provider.toUpperCase().replace('-', '_')}_MODEL`] ?? model;
    if (key !== undefined) return { provider, model: chosen, apiKey: env[key] ?? '', real: true, from: key };
    const baseUrl = emulator.baseUrl(protocol);
    return { provider, model: chosen, apiKey: KEY, baseUrl, real: false, from: `no ${keys.join(' or ')}: emulator` };
  });
  return { asked, end: () => emulator.close() };
}
