import { providerColor } from '../ui/format.ts';

/** What a colour stands for: who wrote a message, and for models whose they are. */
export type Kind = 'user' | 'system' | 'tool' | 'anthropic' | 'openai' | 'google' | 'provider' | 'other';

export const KINDS: readonly { readonly kind: Kind; readonly title: string }[] = [
  { kind: 'user', title: 'User' },
  { kind: 'system', title: 'System' },
  { kind: 'tool', title: 'Tool' },
  { kind: 'anthropic', title: 'Anthropic' },
  { kind: 'openai', title: 'OpenAI' },
  { kind: 'google', title: 'Google' },
  { kind: 'provider', title: 'Other model' },
  { kind: 'other', title: 'Other' },
];

/** The name of its colour in index.css. */
export function colorOf(kind: Kind): string {
  return kind === 'other' ? '--faint' : `--${kind}`;
}

export function kindOf({ role, provider }: { readonly role: string; readonly provider?: string | undefined }): Kind {
  if (role === 'assistant') return providerColor(provider);
  return role === 'user' || role === 'system' || role === 'tool' ? role : 'other';
}
