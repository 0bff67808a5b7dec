/** Judges requests to Google's Interactions: reads the body, checks the schema, then applies the other rules. */
import { asText, eachObject, hasLoneSurrogate, isObject, isSet, type Json, objects } from '../../json.ts';
import { findVariant, isOwnType, missingFields, unknownFields } from '../openai/shape.ts';
import { applyRules, first, type Judge, type Refusal, readJson } from '../verdict.ts';
import { type Context, type InteractionsRule, readContext, stepResults } from './context.ts';
import { contentShapes, inputShape, requestShape, stepShapes, toolShapes } from './schema.ts';

// The rules of docs/wire-rules.md for Interactions, beyond the schema.

/** What the API says of nearly everything (js-genai#1735). */
const INVALID = 'Request contains an invalid argument.';

const signed = ({ steps }: Context): readonly string[] =>
  steps.flatMap(({ signature }) => (typeof signature === 'string' ? [signature] : []));

const valueRules: readonly InteractionsRule[] = [
  {
    id: 'model-or-agent',
    check: ({ body: { model, agent } }) =>
      isSet(model) === isSet(agent) ? 'Exactly one of model and agent must be set.' : undefined,
  },
  {
    id: 'input-required',
    check: ({ body, steps }) =>
      steps.length === 0 && !isSet(body.continuation_token) ? 'input must not be empty.' : undefined,
  },
  {
    // As the SDK sends it; what the API says of other forms is not known.
    id: 'continuation-token',
    check: ({ body: { continuation_token: token }, memory, steps, previous }) => {
      if (!isSet(token)) return undefined;
      const isKnown = memory === undefined || memory.issued(`${token}`) !== undefined;
      return !isKnown || (steps.length > 0 && previous !== undefined) ? INVALID : undefined;
    },
  },
  {
    // What is answered later must be kept somewhere.
    id: 'background-store',
    check: ({ body: { background, store } }) =>
      background === true && store === false ? 'background requires store to be true.' : undefined,
  },
  {
    id: 'call-name',
    check: ({ steps }) =>
      first(steps, ({ type, id, name }) =>
        type === 'function_call' && !(asText(id) && asText(name)) ? 'function_call requires id and name.' : undefined,
      ),
  },
  {
    id: 'arguments',
    check: ({ steps }) =>
      first(steps, ({ type, arguments: given }) =>
        type === 'function_call' && !isObject(given) ? 'function_call.arguments must be an object.' : undefined,
      ),
  },
  {
    id: 'result-type',
    check: ({ steps }) =>
      first(steps.flatMap(stepResults), ({ result }) =>
        typeof result === 'string' || (typeof result === 'object' && result !== null)
          ? undefined
          : 'function_result.result must be a string, an object or a list of contents.',
      ),
  },
  {
    id: 'media-source',
    check: ({ steps }) =>
      first(steps.flatMap(contentsIn), ({ type, data, uri }) =>
        /^(?:image|audio|video|document)$/.test(`${type}`) && !isSet(data) && !isSet(uri)
          ? `${type} requires data or uri.`
          : undefined,
      ),
  },
  {
    id: 'input-empty',
    unsure: true,
    check: ({ steps }) =>
      first(steps, ({ type, content }) =>
        type === 'user_input' && Array.isArray(content) && content.length === 0 ? INVALID : undefined,
      ),
  },
];

function contentsIn(step: Json): readonly Json[] {
  return [...objects(step.content), ...objects(step.summary), ...stepResults(step).flatMap(resultContents)];
}

const resultContents = ({ result }: Json): readonly Json[] => objects(result);

const signatureRules: readonly InteractionsRule[] = [
  { id: 'signature-empty', check: (context) => (signed(context).includes('') ? INVALID : undefined) },
  {
    id: 'signature-corrupt',
    check: (context) => {
      const { memory } = context;
      if (!memory) return undefined;
      return signed(context).some((signature) => memory.issued(signature) === undefined) ? INVALID : undefined;
    },
  },
];

/** What is wrong with the calls and results of a conversation, from what was kept to the end of the input. */
interface Pairing {
  readonly unanswered?: string;
  readonly orphan?: string;
  readonly repeated?: string;
}

function pair({ steps, memory, previous }: Context): Pairing {
  const kept = previous === undefined ? [] : memory?.openCalls?.(previous);
  const open = new Set(kept);
  const answered = new Set<string>();
  let isAnswering = false;
  for (const step of steps) {
    const results = stepResults(step);
    const isResult = results.length > 0;
    // Calls of one turn are answered together, before anything else is said.
    const isLate = isModel(step) ? isAnswering : true;
    const [waiting] = open;
    if (!isResult && isLate && waiting !== undefined) return { unanswered: waiting };
    for (const { call_id: given } of results) {
      const id = `${given}`;
      if (answered.has(id)) return { repeated: id };
      // Of an interaction that was registered by its id alone, the calls are not known.
      if (!open.delete(id) && kept !== undefined) return { orphan: id };
      answered.add(id);
    }
    isAnswering = isResult;
    if (step.type !== 'function_call') continue;
    open.add(`${step.id}`);
    answered.delete(`${step.id}`);
  }
  const [waiting] = open;
  return waiting === undefined ? {} : { unanswered: waiting };
}

const isModel = ({ type }: Json): boolean => type !== 'user_input' && type !== 'function_result';

const pairingRules: readonly InteractionsRule[] = [
  {
    id: 'previous-not-found',
    status: 404,
    check: ({ previous, memory }) =>
      previous !== undefined && memory?.stored(previous) === false
        ? `Interaction with id '${previous}' was not found.`
        : undefined,
  },
  {
    id: 'result-orphan',
    check: (context) => {
      const { orphan } = pair(context);
      return orphan === undefined ? undefined : `function_result refers to the unknown call '${orphan}'.`;
    },
  },
  {
    id: 'result-repeated',
    check: (context) => {
      const { repeated } = pair(context);
      return repeated === undefined ? undefined : `The call '${repeated}' has more than one function_result.`;
    },
  },
  {
    id: 'call-unanswered',
    check: (context) => {
      const { unanswered } = pair(context);
      return unanswered === undefined ? undefined : `The call '${unanswered}' has no function_result.`;
    },
  },
  {
    id: 'model-tail',
    unsure: true,
    check: ({ steps }) => {
      const last = steps.at(-1);
      return last && isModel(last) ? 'Requests ending with a step of the model are not supported.' : undefined;
    },
  },
];

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
