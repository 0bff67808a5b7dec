/** Judges requests to Bedrock's Converse: its own rules, and for Claude those of the model's own API. */
import { hasLoneSurrogate, isObject, objects } from '../../json.ts';
import { judgeAnthropicMessages } from '../anthropic-messages/judge.ts';
import { applyRules, type Judge, type Refusal, readJson } from '../verdict.ts';
import { isClaude, toMessagesBody } from './claude.ts';
import { type ConverseRule, contentRules, toolRules } from './rules.ts';

const PROTOCOL = 'bedrock-converse';

/** What the model refuses is told behind these words (recorded). */
const FROM_MODEL = 'The model returned the following errors: ';

/** Rules of the Messages API that do not apply to what Converse makes of a request: Bedrock fills in what is missing. */
const NOT_CHECKED = /\.(?:auth|version-header|required|extra-\w+|type)$/;

const modelRule: ConverseRule = {
  id: 'model-errors',
  check: ({ body, model, request: { memory, settings } }) => {
    if (!isClaude(model)) return undefined;
    const { refusal } = judgeAnthropicMessages({
      body: JSON.stringify(toMessagesBody(body)),
      model,
      ...(memory && { memory }),
      ...(settings && { settings }),
    });
    return refusal && !NOT_CHECKED.test(refusal.rule) ? FROM_MODEL + refusal.message : undefined;
  },
};

/** In the order in which the API checks, as far as it is known: the conversation, the tools, then the model. */
const RULES: readonly ConverseRule[] = [...contentRules, ...toolRules, modelRule];

/** Every rule id that a verdict can name. `json` and `surrogate` are checked while the body is read. */
export const bedrockConverseRules: readonly string[] = ['json', 'surrogate', ...RULES.map(({ id }) => id)];

/** Judges a request as Bedrock's Converse does; `model` is the one in the path. */
export const judgeBedrockConverse: Judge = (request) => {
  const read = readJson(request.body);
  const value = 'value' in read ? read.value : undefined;
  if (!isObject(value)) return { refusal: refuse('json', 'The request body is not a valid JSON object'), warnings: [] };
  if (hasLoneSurrogate(value))
    return { refusal: refuse('surrogate', 'The request body has a lone surrogate'), warnings: [] };
  const context = { request, body: value, messages: objects(value.messages), model: request.model ?? '' };
  return applyRules(PROTOCOL, RULES, context, refuse);
};

function refuse(id: string, message: string, status = 400): Refusal {
  return { rule: `${PROTOCOL}.${id}`, status, message, body: JSON.stringify({ message }) };
}
