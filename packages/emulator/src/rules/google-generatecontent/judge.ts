/** Judges requests to Gemini's generateContent: reads the body, checks key and schema, then applies the other rules. */
import { hasLoneSurrogate, isObject, type Json } from '../../json.ts';
import { applyRules, type Judge, type JudgedRequest, type Refusal, readJson } from '../verdict.ts';
import { type Context, type GoogleRule, isOwn, readContext, type Violation } from './context.ts';

import type { Fault } from './proto-json.ts';
import { contentRules, pairingRules, signatureRules } from './rules.ts';

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
