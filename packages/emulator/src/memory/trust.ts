/** Everything opaque in a request, to be recognised although it comes from elsewhere: recorded traffic, for one. */
import { isObject, type Json, objects } from '../json.ts';
import type { Known } from './memory.ts';

const PROOFS = new Set(['signature', 'encrypted_content', 'thoughtSignature', 'thought_signature']);

function* proofs(value: unknown): Iterable<Known> {
  if (Array.isArray(value)) for (const item of value) yield* proofs(item);
  if (!isObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    const proof = PROOFS.has(name) || (name === 'data' && value.type === 'redacted_thinking');
    if (proof && typeof item === 'string') yield { signature: item };
    else yield* proofs(item);
  }
}

/** Ids of the Responses API that only mean something where they were stored. */
function* references({ input, previous_response_id: previous }: Json): Iterable<Known> {
  if (typeof previous === 'string') yield { stored: previous };
  for (const { id } of objects(input)) if (typeof id === 'string') yield { stored: id };
}

export function* trusted(body: unknown): Iterable<Known> {
  if (!isObject(body)) return;
  yield* proofs(body);
  yield* references(body);
}
