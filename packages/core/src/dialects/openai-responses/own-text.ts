import type { Message } from '../../message/index.ts';
import type { ProviderDescriptor } from '../provider.ts';
import { forModel } from '../provider.ts';
import type { Target, Unit } from '../write/writer.ts';

/** Refused fields that may occur in a text, as paths within an item. */
export function refusedFields(raw: string, provider: ProviderDescriptor): string[][] {
  const paths = provider.policies.refusedFields.map((field) => field.split('.'));
  return paths.filter((path) => raw.includes(`"${path.at(-1)}"`));
}

/** Whether reasoning is worth nothing without its ciphertext, since the provider keeps none (`reasoning-not-persisted`). */
export function needsCiphertext({ provider, model }: Target): boolean {
  const { store, encryptedReasoning } = provider.policies.quirks;
  const isStored = store !== undefined && forModel(store, model) === true;
  return !isStored && (encryptedReasoning === undefined || forModel(encryptedReasoning, model) === true);
}

export function unitRole({ facts: { role } }: Message): Unit['role'] {
  return role === 'other' ? 'user' : role;
}

/** What a message answers. The calls of computers are not among the calls that results are matched with. */
export function resultsOf({ raw, facts }: Message): readonly string[] {
  return raw.includes('"computer_call_output"') ? [] : facts.results;
}
