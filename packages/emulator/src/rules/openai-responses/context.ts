import { asText, eachObject, isObject, isSet, type Json } from '../../json.ts';
import type { ApiDifferences, Rule } from '../openai/rule.ts';
import type { JudgedRequest, Memory } from '../verdict.ts';
import { itemType } from './schema.ts';

/** What a Responses emulator may remember beyond ciphertexts and stored ids. */
export interface ResponsesMemory extends Memory {
  /** The id of the item that was produced directly behind this reasoning item. */
  following?(reasoningId: string): string | undefined;
  /** The id of the reasoning item this item was produced with. */
  reasoningOf?(itemId: string): string | undefined;
  /** The call ids that a stored response or conversation leaves to be answered; undefined when not known. */
  openCalls?(id: string): readonly string[] | undefined;
}

export interface Item {
  readonly at: string;
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly callId: string | undefined;
  readonly fields: Json;
}

/** What every Responses rule looks at. */
export interface ResponsesContext {
  readonly request: JudgedRequest;
  readonly memory: ResponsesMemory | undefined;
  readonly body: Json;
  readonly model: string;
  readonly items: readonly Item[];
  /** The response or conversation this request continues on the server. */
  readonly chain: string | undefined;
  readonly differences: ApiDifferences;
}

export type ResponsesRule = Rule<ResponsesContext>;

function* readItems(input: unknown): Iterable<Item> {
  for (const [index, fields] of eachObject(input)) {
    const [id, callId] = [asText(fields.id), asText(fields.call_id)];
    yield { at: `input[${index}]`, type: itemType(fields), id, callId, fields };
  }
}

function readChain({ previous_response_id, conversation }: Json): string | undefined {
  if (isSet(previous_response_id)) return asText(previous_response_id);
  return isObject(conversation) ? asText(conversation.id) : asText(conversation);
}

export const responsesContext = (
  request: JudgedRequest,
  body: Json,
  differences: ApiDifferences,
): ResponsesContext => ({
  request,
  memory: request.memory,
  body,
  model: asText(body.model) ?? '',
  items: [...readItems(body.input)],
  chain: readChain(body),
  differences,
});
