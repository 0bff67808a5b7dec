import { elementTexts } from '../../json/index.ts';
import { forModel } from '../provider.ts';
import type { Target } from '../write/index.ts';

/** Whether the provider stores the response, as JSON text. */
export function storeText({ store, provider, model }: Target): string {
  const { store: quirk } = provider.policies.quirks;
  return store ?? String(quirk !== undefined && forModel(quirk, model));
}

/** Whether reasoning is worth nothing without its ciphertext, since the provider keeps none (`reasoning-not-persisted`). */
export function needsCiphertext(target: Target): boolean {
  const { encryptedReasoning: quirk } = target.provider.policies.quirks;
  return storeText(target) === 'false' && (quirk === undefined || forModel(quirk, target.model) === true);
}

/** What `include` asks for, ciphertext added. */
export function withCiphertext(include = ''): string {
  const given = include.startsWith('[') ? elementTexts(include) : [];
  return `[${[...new Set([...given, '"reasoning.encrypted_content"'])].join(',')}]`;
}
