import type { ProviderDescriptor } from '../dialects/provider.ts';
import { SkeinError } from '../error.ts';
import { provider } from './registry.ts';

export interface ModelRef {
  readonly provider: ProviderDescriptor;
  readonly model: string;
}

/** `anthropic/claude-sonnet-4-5`: a provider and, behind the first slash, a model; models may contain slashes. */
export function parseModel(text: string): ModelRef {
  const slash = text.indexOf('/');
  const model = text.slice(slash + 1);
  if (slash < 1 || model.trim() === '') throw new ModelRefError(text);
  return { provider: provider(text.slice(0, slash)), model };
}

export class ModelRefError extends SkeinError {
  override readonly name = 'ModelRefError';
  readonly code = 'invalid_model';

  constructor(text: string) {
    super(`"${text}" does not name a provider and a model. Write "provider/model", such as "openai/gpt-5.2".`);
  }
}
