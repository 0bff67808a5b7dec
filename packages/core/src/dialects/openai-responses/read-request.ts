import { elementTexts, isObject, type JsonObject, parseJson, textAt } from '../../json/index.ts';
import type { RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { DIALECT, isModelItem } from './items.ts';
import { paramsOf } from './read-params.ts';
import { turnText } from './read-response.ts';
import { toolOf } from './read-tools.ts';

/** A request. What it continues on the server (`previous_response_id`, `conversation`) is in `rest`. */
export function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value)) throw new ProtocolError(DIALECT, 'the request is not an object', body);
  if (value.messages !== undefined && value.input === undefined)
    throw new ProtocolError(DIALECT, 'the request has "messages" and no "input"', body);
  const taken = new Set<string>();
  const take = (name: string, isTaken: boolean): string | undefined => {
    if (!isTaken) return undefined;
    taken.add(name);
    return textAt(body, [name]);
  };
  const instructions = take('instructions', typeof value.instructions === 'string');
  const input = take('input', typeof value.input === 'string' || Array.isArray(value.input));
  const tools = take('tools', Array.isArray(value.tools));
  take('model', typeof value.model === 'string');
  return {
    model: typeof value.model === 'string' ? value.model : undefined,
    system: instructions && `{"role":"system","content":${instructions}}`,
    messages: input === undefined ? [] : messagesOf(value, input),
    tools: tools === undefined ? [] : elementTexts(tools).map(toolOf),
    ...paramsOf(body, value, taken),
  };
}

/** Consecutive items that a model issued are one message, as they were when they came. */
function messagesOf({ input: values }: JsonObject, input: string): string[] {
  if (!Array.isArray(values)) return [`{"role":"user","content":${input}}`];
  const messages: string[] = [];
  let turn: string[] = [];
  const endTurn = (): void => {
    if (turn.length > 0) messages.push(turnText(turn));
    turn = [];
  };
  elementTexts(input).forEach((text, index) => {
    if (isModelItem(values[index])) turn.push(text);
    else {
      endTurn();
      messages.push(text);
    }
  });
  endTurn();
  return messages;
}
