import { forModel } from '../provider.ts';
import type { Target } from '../write/index.ts';
import { openaiChatHome } from './provider.ts';

/** What a target does its own way; a descriptor that says nothing does as the home provider does. */
export function quirk(name: string, { provider, model }: Target): string | boolean {
  return forModel(provider.policies.quirks[name] ?? openaiChatHome.policies.quirks[name]!, model);
}
