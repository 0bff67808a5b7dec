/** Judges requests to Gemini's generateContent: reads the body, checks key and schema, then applies the other rules. */
import { hasLoneSurrogate, isObject, type Json, objects } from '../../json.ts';
import {
  applyRules,
  first,
  type IssuedValue,
  type Judge,
  type JudgedRequest,
  type Memory,
  type Refusal,
  readJson,
} from '../verdict.ts';
import {
  type Context,
  calls,
  demandsSignature,
  type GoogleRule,
  isOwn,
  type PlacedPart,
  placeParts,
  readContext,
  readRole,
  refusesModelTail,
  responses,
  type Turn,
  type Violation,
} from './context.ts';
import type { Fault } from './proto-json.ts';
import { DATA_FIELDS } from './schema.ts';

// Rules about contents: what each must contain, calls and their responses, thought signatures.

const ROLES: readonly unknown[] = [undefined, '', 'user', 'model'];
const field = (path: string, text: string) => `* GenerateContentRequest.${path}: ${text}\n`;

const contentRules: readonly GoogleRule[] = [
  {
    id: 'no-contents',
    check: ({ contents }) => (contents.length === 0 ? field('contents', 'contents is not specified') : undefined),
  },
  {
    id: 'role',
    check: ({ contents }) =>
      contents.some(({ role }) => !ROLES.includes(role) && role !== 'function')
        ? 'Please use a valid role: user, model.'
        : undefined,
  },
  {
    // "Unsure" 7: older clients send results under this role.
    id: 'role-function',
    unsure: true,
    check: ({ contents }) =>
      contents.some(({ role }) => role === 'function') ? 'Please use a valid role: user, model.' : undefined,
  },
  {
    id: 'parts-empty',
    check: ({ contents, system }) => {
      const holders = contents.map((content, index) => [`contents[${index}]`, content] as const);
      return first([...holders, ['system_instruction', system] as const], ([path, content]) =>
        content && objects(content.parts).length === 0
          ? field(`${path}.parts`, 'contents.parts must not be empty.')
          : undefined,
      );
    },
  },
  {
    // An empty text counts as data, and a lone videoMetadata was accepted; a thought or a signature alone does not count.
    id: 'oneof-none',
    // A kind of data that the provider itself invented counts, too.
    check: (context) =>
      first([...context.parts, ...context.systemParts], ({ part, path }) =>
        DATA_FIELDS.some((name) => name in part) ||
        'videoMetadata' in part ||
        context.faults.some((fault) => fault.path === path && isOwn(context, fault))
          ? undefined
          : field(`${path}.data`, "required oneof field 'data' must have one initialized field"),
      ),
  },
  {
    id: 'name-empty',
    check: ({ parts }) =>
      first(parts, ({ part, path }) =>
        first(['functionCall', 'functionResponse'], (kind) => {
          const data = part[kind];
          const name = kind === 'functionCall' ? 'function_call' : 'function_response';
          return isObject(data) && (data.name === undefined || data.name === '')
            ? field(`${path}.${name}.name`, 'Name cannot be empty.')
            : undefined;
        }),
      ),
  },
];

const callsIn = (turn: Turn | undefined): readonly PlacedPart[] => (turn?.role === 'model' ? calls(turn.parts) : []);
const responsesIn = (turn: Turn | undefined): readonly PlacedPart[] =>
  turn?.role === 'user' ? responses(turn.parts) : [];

const data = ({ part }: PlacedPart) => {
  const found = part.functionCall ?? part.functionResponse;
  return isObject(found) ? found : {};
};
const sorted = (parts: readonly PlacedPart[], name: string) => parts.map((part) => data(part)[name]).sort();
const differ = (one: readonly unknown[], other: readonly unknown[]) =>
  one.some((value, index) => value !== other[index]);

/** Each turn of calls with the responses after it. */
const pairs = (turns: readonly Turn[]) =>
  turns.slice(0, -1).map((turn, index) => [callsIn(turn), responsesIn(turns[index + 1])] as const);

const pairingRules: readonly GoogleRule[] = [
  {
    // Merged, a turn with calls always follows a user turn unless it is the first.
    id: 'call-first',
    check: ({ turns }) =>
      callsIn(turns[0]).length > 0
        ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
        : undefined,
  },
  {
    id: 'response-orphan',
    check: ({ turns }) =>
      turns.some((turn, index) => responsesIn(turn).length > 0 && callsIn(turns[index - 1]).length === 0)
        ? 'Please ensure that function response turn comes immediately after a function call turn.'
        : undefined,
  },
  {
    id: 'count',
    check: ({ turns }) =>
      pairs(turns).some(([asked, answered]) => asked.length > 0 && asked.length !== answered.length)
        ? 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
        : undefined,
  },
  {
    id: 'name-mismatch',
    unsure: true,
    check: ({ turns }) =>
      first(pairs(turns), ([asked, answered]) =>
        asked.length === answered.length && differ(sorted(asked, 'name'), sorted(answered, 'name'))
          ? 'Please ensure that the function response names match the function call names.'
          : undefined,
      ),
  },
  {
    // Without ids, only the order tells which response belongs to which call.
    id: 'response-order',
    unsure: true,
    check: ({ turns }) =>
      first(pairs(turns), ([asked, answered]) => {
        const isNameless = [...asked, ...answered].every((part) => data(part).id === undefined);
        const names = [asked, answered].map((parts) => parts.map((part) => data(part).name)) as [unknown[], unknown[]];
        const isSameSet = asked.length === answered.length && !differ(sorted(asked, 'name'), sorted(answered, 'name'));
        return isNameless && isSameSet && differ(...names)
          ? 'Please ensure that the function responses are in the order of the function calls.'
          : undefined;
      }),
  },
  {
    // Only where both sides have ids.
    id: 'id-mismatch',
    unsure: true,
    check: ({ turns }) =>
      first(pairs(turns), ([asked, answered]) => {
        const ids = [sorted(asked, 'id'), sorted(answered, 'id')] as const;
        const complete = ids.every((list) => list.every((id) => typeof id === 'string' && id !== ''));
        return complete && asked.length === answered.length && differ(...ids)
          ? 'Please ensure that the function response ids match the function call ids.'
          : undefined;
      }),
  },
];

/** Google documents these dummies for tool calls of other models; they are accepted as text and as its base64. */
const DUMMIES = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];
const PASSES = new Set(DUMMIES.flatMap((text) => [text, standard(Buffer.from(text).toString('base64'))]));

/** Standard base64 with padding, from any of its spellings. */
function standard(value: string): string {
  const bare = value.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
}

/** How a signature begins that Google issued once: LangChain (2.3) sends it with every call that lost its own, and is answered. */
const ISSUED_ONCE = 'ErYCCrMCAdHtim9kOoOkrPiCNVsmlpMI';

const isDummy = (signature: string): boolean =>
  PASSES.has(signature) || PASSES.has(standard(signature)) || signature.startsWith(ISSUED_ONCE);

function issued(memory: Memory, signature: string): IssuedValue | undefined {
  const plain = standard(signature);
  const spellings = [signature, plain, plain.replaceAll('+', '-').replaceAll('/', '_'), plain.replace(/=+$/, '')];
  return first(spellings, (spelling) => memory.issued(spelling));
}

const callName = ({ part: { functionCall: call } }: PlacedPart): unknown => (isObject(call) ? call.name : undefined);

/** Model parts after the last user content that is not a function response, one list per step. */
function currentSteps({ contents, turns }: Context): readonly (readonly PlacedPart[])[] {
  const start = contents.findLastIndex(
    (content, index) => readRole(content) === 'user' && responses(placeParts(content, index)).length === 0,
  );
  return turns
    .filter(({ role }) => role === 'model')
    .map(({ parts }) => calls(parts).filter(({ content }) => content > start));
}

function checkIssued(
  { parts, request: { memory } }: Context,
  broken: (found: IssuedValue | undefined, part: PlacedPart) => boolean,
) {
  if (!memory) return undefined;
  const bad = parts.find((placed) => {
    const { thoughtSignature: signature } = placed.part;
    return typeof signature === 'string' && !isDummy(signature) && broken(issued(memory, signature), placed);
  });
  return bad && 'Corrupted thought signature.';
}

const signatureRules: readonly GoogleRule[] = [
  {
    id: 'sig-empty',
    check: ({ parts }) =>
      parts.some(({ part }) => part.thoughtSignature === '') ? 'Corrupted thought signature.' : undefined,
  },
  {
    // Only the first of parallel calls has one; past turns are not checked.
    id: 'sig-missing',
    check: (context) => {
      if (!demandsSignature(context.model)) return undefined;
      return first(currentSteps(context), ([call]) =>
        call && call.part.thoughtSignature === undefined
          ? `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${callName(call)}\` , position ${call.content + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`
          : undefined,
      );
    },
  },
  { id: 'sig-corrupt', check: (context) => checkIssued(context, (found) => found === undefined) },
  {
    // "Unsure" 10: a signature under another call. `IssuedValue.text` is the name of the call it was issued with.
    id: 'sig-moved',
    unsure: true,
    check: (context) =>
      checkIssued(context, (found, placed) => {
        const name = callName(placed);
        return name !== undefined && found?.text !== undefined && found.text !== name;
      }),
  },
  {
    id: 'model-tail',
    check: ({ model, turns }) =>
      turns.at(-1)?.role === 'model' && refusesModelTail(model)
        ? 'Requests ending with a model turn are not supported.'
        : undefined,
  },
];

const PROTOCOL = 'google-generatecontent';

/** Google reports all faults of a kind at once. */
function report(faults: readonly Fault[]): Violation | undefined {
  if (faults.length === 0) return undefined;
  return {
    message: faults.map(({ message }) => message).join('\n'),
    violations: faults.map(({ path, message }) => ({ ...(path !== '' && { field: path }), description: message })),
  };
}

const isSystem = ({ path }: Fault): boolean => path === 'system_instruction';
const isSignature = ({ path }: Fault): boolean => path.endsWith('.thought_signature');
const ofKind =
  (kind: Fault['kind'], also: (fault: Fault) => boolean = () => true): GoogleRule['check'] =>
  ({ faults }) =>
    report(faults.filter((fault) => fault.kind === kind && also(fault)));

const unknownFields = (context: Context): Violation | undefined =>
  report(context.faults.filter((fault) => fault.kind === 'unknown' && !isOwn(context, fault)));

const schemaRules: readonly GoogleRule[] = [
  {
    id: 'auth',
    status: 403,
    check: ({ request: { headers } }) =>
      headers && !headers['x-goog-api-key'] && !headers.authorization
        ? "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."
        : undefined,
  },
  { id: 'unknown-field', check: unknownFields },
  { id: 'system-type', check: ofKind('type', isSystem) },
  { id: 'struct', check: ofKind('struct') },
  { id: 'sig-base64', check: ofKind('bytes', isSignature) },
  { id: 'oneof-many', check: ofKind('oneof') },
  {
    // Not in wire-rules.md: a known field with a value of the wrong type.
    id: 'type',
    check: ({ faults }) =>
      report(
        faults.filter(
          (fault) => (fault.kind === 'type' && !isSystem(fault)) || (fault.kind === 'bytes' && !isSignature(fault)),
        ),
      ),
  },
];

/** In the order in which the API checks: the proto mapping, the fields, then the conversation. */
const RULES: readonly GoogleRule[] = [...schemaRules, ...contentRules, ...pairingRules, ...signatureRules];

/** Every rule id that a verdict can name. `json` is checked while the body is read. */
export const googleGenerateContentRules: readonly string[] = ['json', ...RULES.map(({ id }) => id)];

/** Judges a request as generativelanguage.googleapis.com does. */
export const judgeGoogleGenerateContent: Judge = (request) => {
  const body = readBody(request);
  if (body.refusal) return { refusal: body.refusal, warnings: [] };
  return applyRules(PROTOCOL, RULES, readContext(request, body.value), refuse);
};

function readBody({ body }: JudgedRequest): { refusal: Refusal } | { refusal?: undefined; value: Json } {
  const read = readJson(body);
  if ('reason' in read) return { refusal: refuse('json', `Invalid JSON payload received. ${read.reason}`) };
  const { value } = read;
  if (hasLoneSurrogate(value))
    return { refusal: refuse('json', 'Invalid JSON payload received. Invalid unicode escape sequence.') };
  if (isObject(value)) return { value };
  return {
    refusal: refuse('json', 'Invalid JSON payload received. Unknown name "": Root element must be a message.'),
  };
}

const STATUS: Readonly<Record<number, string>> = { 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' };

function refuse(id: string, violation: string | Violation, code = 400): Refusal {
  const { message, violations } = typeof violation === 'string' ? { message: violation } : violation;
  const details = violations && [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }];
  const error = { code, message, status: STATUS[code] ?? 'INVALID_ARGUMENT', ...(details && { details }) };
  return { rule: `${PROTOCOL}.${id}`, status: code, message, body: JSON.stringify({ error }, undefined, 2) };
}
