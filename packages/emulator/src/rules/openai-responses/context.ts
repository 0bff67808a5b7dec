import type { Dialect } from '../openai/dialect.ts';
import type { Rule } from '../openai/run.ts';
import { eachFields, type Fields, isFields, isSet, text } from '../openai/values.ts';
import type { JudgedRequest, Memory } from '../verdict.ts';
import { itemType } from './item-schema.ts';

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
  readonly fields: Fields;
}

/** What every Responses rule looks at. */
export interface ResponsesContext {
  readonly request: JudgedRequest;
  readonly memory: ResponsesMemory | undefined;
  readonly body: Fields;
  readonly model: string;
  readonly items: readonly Item[];
  /** The response or conversation this request continues on the server. */
  readonly chain: string | undefined;
  readonly dialect: Dialect;
}

export type ResponsesRule = Rule<ResponsesContext>;

function* itemsOf(input: unknown): Iterable<Item> {
  for (const [index, fields] of eachFields(input)) {
    const [id, callId] = [text(fields.id), text(fields.call_id)];
    yield { at: `input[${index}]`, type: itemType(fields), id, callId, fields };
  }
}

function chainOf({ previous_response_id, conversation }: Fields): string | undefined {
  if (isSet(previous_response_id)) return text(previous_response_id);
  return isFields(conversation) ? text(conversation.id) : text(conversation);
}

export const responsesContext = (request: JudgedRequest, body: Fields, dialect: Dialect): ResponsesContext => ({
  request,
  memory: request.memory,
  body,
  model: text(body.model) ?? '',
  items: [...itemsOf(body.input)],
  chain: chainOf(body),
  dialect,
});
