import { holdsHalfCharacter, isObject, type Json } from '../../json.ts';
import type { Judge, JudgedRequest, Refusal } from '../verdict.ts';
import { readContext } from './context.ts';
import { PROTOCOL, type Rule, refusal } from './rule.ts';
import { contentRules } from './rules-contents.ts';
import { pairingRules } from './rules-pairing.ts';
import { schemaRules } from './rules-schema.ts';
import { signatureRules } from './rules-signature.ts';

/** In the order of the API: the proto mapping, the fields, then the conversation. */
const RULES: readonly Rule[] = [...schemaRules, ...contentRules, ...pairingRules, ...signatureRules];

/** Every id a verdict can name. `json` is found while the body is read. */
export const googleGenerateContentRules: readonly string[] = ['json', ...RULES.map(({ id }) => id)];

export const judgeGoogleGenerateContent: Judge = (request) => {
  const body = readBody(request);
  if (body.refusal) return { refusal: body.refusal, warnings: [] };
  const context = readContext(request, body.value);
  const warnings: string[] = [];
  for (const { id, status, unsure, check } of RULES) {
    const broken = check(context);
    if (broken === undefined) continue;
    if (!unsure) return { refusal: refusal(id, broken, status), warnings };
    warnings.push(`${PROTOCOL}.${id}`);
  }
  return { refusal: undefined, warnings };
};

function readBody({ body }: JudgedRequest): { refusal: Refusal } | { refusal?: undefined; value: Json } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'syntax error';
    return { refusal: refusal('json', `Invalid JSON payload received. ${reason}`) };
  }
  if (holdsHalfCharacter(value))
    return { refusal: refusal('json', 'Invalid JSON payload received. Invalid unicode escape sequence.') };
  if (isObject(value)) return { value };
  return {
    refusal: refusal('json', 'Invalid JSON payload received. Unknown name "": Root element must be a message.'),
  };
}
