import { asText, eachObject, isObject, isSet, type Json } from '../../json.ts';
import type { ApiDifferences, OpenAIRule } from '../openai/rule.ts';
import type { JudgedRequest, Memory } from '../verdict.ts';
import { itemType } from './schema.ts';

/** What a Responses provider remembers beyond ciphertexts and stored ids. */
export interface ResponsesMemory extends Memory {
  /** The id of the item that directly followed this reasoning item. */
  following?(reasoningId: string): string | undefined;
  /** The id of the reasoning item directly before this item. */
  reasoningOf?(itemId: string): string | undefined;
  /** The ids of the unanswered calls of a stored response or conversation; undefined when unknown. */
  openCalls?(id: string): readonly string[] | undefined;
  /** The ids of its asynchronous calls, whose outputs may come later. */
  asyncCalls?(id: string): readonly string[];
}

export interface Item {
  readonly at: string;
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly callId: string | undefined;
  readonly fields: Json;
}

/** What the rules of the Responses API look at. */
export interface ResponsesContext {
  readonly request: JudgedRequest;
  readonly memory: ResponsesMemory | undefined;
  readonly body: Json;
  readonly model: string;
  readonly items: readonly Item[];
  /** The id of the stored response or conversation that this request continues. */
  readonly chain: string | undefined;
  readonly differences: ApiDifferences;
}

export type ResponsesRule = OpenAIRule<ResponsesContext>;

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
