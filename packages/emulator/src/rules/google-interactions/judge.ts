/** Judges requests to Google's Interactions: reads the body, checks the schema, then applies the other rules. */
import { eachObject, hasLoneSurrogate, isObject, isSet } from '../../json.ts';
import { findVariant, isOwnType, missingFields, unknownFields } from '../openai/shape.ts';
import { applyRules, first, type Judge, type Refusal, readJson } from '../verdict.ts';
import { type Context, type InteractionsRule, readContext } from './context.ts';
import { pairingRules, signatureRules, valueRules } from './rules.ts';
import { contentShapes, inputShape, requestShape, stepShapes, toolShapes } from './schema.ts';

const PROTOCOL = 'google-interactions';

/** The body with its input as a list of steps, as the shapes expect it. */
const comparable = ({ body, steps, request }: Context) => ({
  body: { ...body, input: steps },
  request,
  differences: {},
});

const schemaRules: readonly InteractionsRule[] = [
  {
    id: 'type',
    check: ({ body: { input, system_instruction: system, tools, store } }) => {
      if (isSet(input) && typeof input !== 'string' && typeof input !== 'object') return wrong('input');
      if (isSet(system) && typeof system !== 'string') return wrong('system_instruction');
      if (isSet(tools) && !Array.isArray(tools)) return wrong('tools');
      return isSet(store) && typeof store !== 'boolean' ? wrong('store') : undefined;
    },
  },
  {
    id: 'step-type',
    check: ({ steps, request }) =>
      first(steps, ({ type }) =>
        findVariant(stepShapes, type) === undefined && !isOwnType(request, type)
          ? `Unknown step type '${type}'.`
          : undefined,
      ),
  },
  {
    id: 'content-type',
    check: ({ steps, request }) =>
      first(steps, ({ type, content }) => {
        const known = { ...contentShapes, ...(type === 'user_input' && { function_result: 'any' as const }) };
        return first(eachObject(content), ([, part]) =>
          findVariant(known, part.type) === undefined && !isOwnType(request, part.type)
            ? `Unknown content type '${part.type}'.`
            : undefined,
        );
      }),
  },
  {
    id: 'tool-type',
    check: ({ body: { tools } }) =>
      first(eachObject(tools), ([, { type }]) =>
        findVariant(toolShapes, type) === undefined ? `Unknown tool type '${type}'.` : undefined,
      ),
  },
  {
    id: 'required',
    check: (context) =>
      first(missingFields(comparable(context), inputShape, 'input'), ({ param }) => `${param} is required.`) ??
      first(missingFields(asSent(context), requestShape), ({ param }) => `${param} is required.`),
  },
  {
    // Whether the schema is closed is not known.
    id: 'unknown-field',
    unsure: true,
    check: (context) =>
      first(
        [
          ...unknownFields(asSent(context), requestShape),
          ...unknownFields(comparable(context), inputShape, 'input'),
        ].filter(({ unsure }) => !unsure),
        ({ param }) => `Unknown name "${param}".`,
      ),
  },
];

const asSent = ({ body, request }: Context) => ({ body, request, differences: {} });

const wrong = (name: string): string => `Invalid value at '${name}'.`;

/** In the order: the schema, single values, signatures, then steps that belong together. */
const RULES: readonly InteractionsRule[] = [...schemaRules, ...valueRules, ...signatureRules, ...pairingRules];

/** Every rule id that a verdict can name. `json` is checked while the body is read. */
export const googleInteractionsRules: readonly string[] = ['json', ...RULES.map(({ id }) => id)];

/** Judges a request as generativelanguage.googleapis.com does. */
export const judgeGoogleInteractions: Judge = (request) => {
  const read = readJson(request.body);
  const value = 'value' in read && !hasLoneSurrogate(read.value) ? read.value : undefined;
  if (!isObject(value)) return { refusal: refuse('json', 'Invalid JSON payload received.'), warnings: [] };
  const rules = request.settings?.refuseUnknown ? RULES.map(asCertain) : RULES;
  return applyRules(PROTOCOL, rules, readContext(request, value), refuse);
};

/** Refuses unknown members, though no refusal is on record. */
const asCertain = (rule: InteractionsRule): InteractionsRule =>
  rule.id === 'unknown-field' ? { ...rule, unsure: false } : rule;

/** Codes are words, and the body has no status (js-genai#1735). */
function refuse(id: string, message: string, status = 400): Refusal {
  const error = { message, code: status === 404 ? 'not_found' : 'invalid_request' };
  return { rule: `${PROTOCOL}.${id}`, status, message, body: JSON.stringify({ error }) };
}
