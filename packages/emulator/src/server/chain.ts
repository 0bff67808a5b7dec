/** What a Responses request continues on the server: a stored response or a conversation. */
import { isObject, type Json, objects, textOf } from '../json.ts';
import type { ProviderMemory } from '../memory/memory.ts';

export const inputItems = (input: unknown): readonly Json[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : objects(input);

const conversationOf = ({ conversation }: Json): string | undefined =>
  isObject(conversation) ? textOf(conversation.id) : textOf(conversation);

/** The whole conversation as one request. */
export function resolved(body: Json, memory: ProviderMemory): Json {
  const id = textOf(body.previous_response_id) ?? conversationOf(body);
  const before = id === undefined ? [] : (memory.kept(id)?.items ?? []);
  return { ...body, input: [...before, ...inputItems(body.input)] };
}

/** `store` is on by default. */
export function keepResponse(body: Json, response: Json, memory: ProviderMemory): void {
  const output = objects(response.output);
  memory.issueItems(output);
  const items = [...objects(resolved(body, memory).input), ...output];
  const input = inputItems(body.input);
  if (body.store !== false) memory.keep(`${response.id}`, { response, items, input });
  const conversation = conversationOf(body);
  const kept = conversation === undefined ? undefined : memory.kept(conversation);
  if (conversation !== undefined && kept) memory.keep(conversation, { ...kept, items });
}
