/** The colours of providers and roles. Class names are written out so that Tailwind finds them. */

type ProviderColor = 'anthropic' | 'openai' | 'google' | 'provider';

/** The name of a provider's colour; `--name` is its CSS variable. */
export function providerColor(provider: string | undefined): ProviderColor {
  if (provider === undefined) return 'provider';
  if (provider.startsWith('anthropic')) return 'anthropic';
  if (provider.startsWith('openai') || provider === 'azure-openai') return 'openai';
  return provider === 'google' || provider === 'gemini' ? 'google' : 'provider';
}

const TEXTS: Readonly<Record<ProviderColor, string>> = {
  anthropic: 'text-anthropic',
  openai: 'text-openai',
  google: 'text-google',
  provider: 'text-provider',
};

/** The class of text in a provider's colour. */
export function providerText(provider: string | undefined): string {
  return TEXTS[providerColor(provider)];
}

const ROLES: Readonly<Record<string, string>> = {
  user: 'text-user',
  assistant: 'text-assistant',
  system: 'text-system',
  tool: 'text-tool',
};

/** The class of text in a role's colour, or `other` for a role without one. */
export function roleText(role: string, other: string): string {
  return ROLES[role] ?? other;
}
