// Stands in the place of `more.ts` in Node's build: whoever reads what any provider wrote needs all dialects, but rarely all at
// once.
import { added } from './added.ts';
import { bedrock } from './bedrock-converse/provider.ts';
import { cohere } from './cohere-chat/provider.ts';
import type { Dialect } from './dialect.ts';
import { googleInteractionsHome } from './google-interactions/provider.ts';
import { onDemand } from './on-demand.ts';
import type { ProviderDescriptor } from './provider.ts';

export const bedrockConverse = addOnDemand(bedrock);
export const cohereChat = addOnDemand(cohere);
export const googleInteractions = addOnDemand(googleInteractionsHome);

function addOnDemand(home: ProviderDescriptor): Dialect {
  const known = added.get(home.dialect);
  if (known) return known;
  const made = onDemand(home);
  added.set(made.id, made);
  return made;
}
