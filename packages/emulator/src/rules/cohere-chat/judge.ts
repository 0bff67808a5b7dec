/** Judges requests to Cohere's chat API, version 2. */
import { hasLoneSurrogate, isObject, objects } from '../../json.ts';
import { applyRules, type Judge, type Refusal, readJson } from '../verdict.ts';
import { rules } from './rules.ts';

const PROTOCOL = 'cohere-chat';

/** Every rule id that a verdict can name. `json` and `surrogate` are checked while the body is read. */
export const cohereChatRules: readonly string[] = ['json', 'surrogate', ...rules.map(({ id }) => id)];

/** Judges a request as api.cohere.com does. */
export const judgeCohereChat: Judge = (request) => {
  const read = readJson(request.body);
  const value = 'value' in read ? read.value : undefined;
  if (!isObject(value)) return { refusal: refuse('json', 'invalid request: the body is not valid JSON'), warnings: [] };
  if (hasLoneSurrogate(value))
    return { refusal: refuse('surrogate', 'invalid request: the body is not valid UTF-8'), warnings: [] };
  return applyRules(PROTOCOL, rules, { request, body: value, messages: objects(value.messages) }, refuse);
};

function refuse(id: string, message: string, status = 400): Refusal {
  return { rule: `${PROTOCOL}.${id}`, status, message, body: JSON.stringify({ message }) };
}
