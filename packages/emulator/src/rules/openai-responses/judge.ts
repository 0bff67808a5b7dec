/** Judges requests to OpenAI's Responses API: reads the body, checks schema and parameters, then applies the other rules. */
import { asText, eachObject, isObject, isSet } from '../../json.ts';
import { finding, missingParameter, unsupportedValue, unsure, wrongType } from '../openai/finding.ts';
import { type ApiDifferences, applicableRules, parseBody, runRules } from '../openai/rule.ts';
import { findVariant, isOwnType, missingFields, unknownFields, wrongToolTypes } from '../openai/shape.ts';
import type { Judge } from '../verdict.ts';
import { type ResponsesRule, responsesContext } from './context.ts';
import {
  argumentsType,
  callIdLong,
  callName,
  callUnanswered,
  contentType,
  encryptedContent,
  fileMime,
  idChars,
  idDup,
  idLong,
  idPrefix,
  imageSource,
  missingReasoning,
  outputOrphan,
  outputType,
  reasoningFollowing,
  reasoningNotPersisted,
  referenceNotFound,
  role,
  toolNested,
} from './rules.ts';
import { inputShape, itemShapes, requestShape, toolShapes } from './schema.ts';

const unknownParam: ResponsesRule = {
  id: 'unknown-param',
  check: (context) => unknownFields(context, requestShape),
};

const unknownItemParam: ResponsesRule = {
  id: 'unknown-item-param',
  check: (context) => unknownFields(context, inputShape, 'input'),
};

const required: ResponsesRule = {
  id: 'required',
  *check(context) {
    const { body, items, chain } = context;
    const hasPrompt = isSet(body.prompt);
    if (!isSet(body.model) && !hasPrompt) yield missingParameter('model');
    if (!isSet(body.input) && !hasPrompt && chain === undefined) yield missingParameter('input');
    yield* missingFields(context, requestShape);
    yield* missingFields(context, inputShape, 'input');
    for (const { at, type, id, fields } of items) {
      // A reasoning item without an id may be identified by its ciphertext.
      const found = missingParameter(`${at}.id`);
      if (type === 'reasoning' && id === undefined) yield isSet(fields.encrypted_content) ? unsure(found) : found;
    }
  },
};

const invalidType: ResponsesRule = {
  id: 'invalid-type',
  *check({ body, items }) {
    if (isSet(body.model) && typeof body.model !== 'string') yield wrongType('model', 'a string', body.model);
    if (isSet(body.input) && typeof body.input !== 'string' && !Array.isArray(body.input)) {
      yield wrongType('input', 'one of a string or array of input items', body.input);
    }
    for (const [index, item] of Array.isArray(body.input) ? body.input.entries() : []) {
      if (!isObject(item)) yield wrongType(`input[${index}]`, 'an object', item);
    }
    for (const { at, fields } of items) {
      const { content, type } = fields;
      if (type !== 'reasoning' && isSet(content) && typeof content !== 'string' && !Array.isArray(content)) {
        yield wrongType(`${at}.content`, 'one of an array of objects or string', content);
      }
      for (const field of ['id', 'call_id']) {
        const value = fields[field];
        if (isSet(value) && typeof value !== 'string') yield wrongType(`${at}.${field}`, 'a string', value);
      }
      for (const [part, inner] of Array.isArray(content) ? content.entries() : []) {
        if (!isObject(inner)) yield wrongType(`${at}.content[${part}]`, 'an object', inner);
      }
      for (const [part, { text }] of eachObject(content)) {
        if (isSet(text) && typeof text !== 'string') yield wrongType(`${at}.content[${part}].text`, 'a string', text);
      }
    }
  },
};

const itemTypes: ResponsesRule = {
  id: 'item-type',
  *check({ items, request }) {
    for (const { at, type, fields } of items) {
      if (findVariant(itemShapes, type) !== undefined || isOwnType(request, type)) continue;
      if (isSet(fields.type)) yield unsupportedValue(at, fields.type, Object.keys(itemShapes));
      else yield missingParameter(`${at}.type`);
    }
  },
};

const toolTypes: ResponsesRule = {
  id: 'tool-type',
  check: (context) => wrongToolTypes(context, toolShapes),
};

const prevAndConversation: ResponsesRule = {
  id: 'prev-and-conversation',
  *check({ body }) {
    if (!isSet(body.previous_response_id) || !isSet(body.conversation)) return;
    const words =
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.";
    yield finding(words, 'previous_response_id', 'mutually_exclusive_parameters');
  },
};

const previousNotFound: ResponsesRule = {
  id: 'previous-not-found',
  *check({ body, memory }) {
    const id = asText(body.previous_response_id);
    if (id === undefined || memory?.stored(id) !== false) return;
    const words = `Previous response with id '${id}' not found.`;
    yield finding(words, 'previous_response_id', 'previous_response_not_found');
  },
};

const temperature: ResponsesRule = {
  id: 'temperature',
  *check({ body, model }) {
    const value = body.temperature;
    if (typeof value !== 'number') return;
    const outside = (side: string, sign: string, limit: number) =>
      `Invalid 'temperature': decimal ${side} value. Expected a value ${sign} ${limit}, but got ${value} instead.`;
    if (value < 0) yield finding(outside('below minimum', '>=', 0), 'temperature', 'decimal_below_min_value');
    if (value > 2) yield finding(outside('above maximum', '<=', 2), 'temperature', 'decimal_above_max_value');
    // Later models accept it with effort `none`; these never do.
    if (!/^(o\d|gpt-5(-mini|-nano)?(-\d{4}-.*)?$)/.test(model)) return;
    yield finding("Unsupported parameter: 'temperature' is not supported with this model.", 'temperature');
  },
};

const protocol = 'openai-responses';

/** In the order in which the API checks: the schema, single values, stored items, then items that belong together. */
const rules: readonly ResponsesRule[] = [
  toolNested,
  unknownParam,
  invalidType,
  itemTypes,
  role,
  contentType,
  unknownItemParam,
  argumentsType,
  outputType,
  required,
  toolTypes,
  callName,
  idPrefix,
  idChars,
  idLong,
  callIdLong,
  temperature,
  prevAndConversation,
  imageSource,
  fileMime,
  idDup,
  previousNotFound,
  referenceNotFound,
  reasoningNotPersisted,
  encryptedContent,
  reasoningFollowing,
  missingReasoning,
  callUnanswered,
  outputOrphan,
];

/** Every rule id that a verdict can name. `json` is checked while the body is read. */
export const openAIResponsesRules: readonly string[] = ['json', ...rules.map(({ id }) => id)].map(
  (id) => `${protocol}.${id}`,
);

export function createOpenAIResponsesJudge(differences: ApiDifferences = {}): Judge {
  const applied = applicableRules(rules, differences);
  return (request) => {
    const parsed = parseBody(protocol, request.body);
    if ('verdict' in parsed) return parsed.verdict;
    return runRules(protocol, applied, responsesContext(request, parsed.fields, differences));
  };
}

/** Judges a request as api.openai.com does. */
export const judgeOpenAIResponses: Judge = createOpenAIResponsesJudge();
