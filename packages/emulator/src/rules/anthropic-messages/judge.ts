import { isObject, type Json } from '../../json.ts';
import type { Judge, JudgedRequest, Refusal } from '../verdict.ts';
import { readContext } from './context.ts';
import { PROTOCOL, type Rule, refusal } from './rule.ts';
import { blockRules } from './rules-blocks.ts';
import { cacheRules } from './rules-cache.ts';
import { loneSurrogate } from './rules-json.ts';
import { headerRules, schemaRules } from './rules-schema.ts';
import { serverToolRules } from './rules-server-tools.ts';
import { signatureRules } from './rules-signature.ts';
import { systemRules } from './rules-system.ts';
import { textRules } from './rules-text.ts';
import { thinkingRules } from './rules-thinking.ts';
import { thinkingPlaceRules } from './rules-thinking-place.ts';
import { toolRules } from './rules-tools.ts';

/** In the order of the API: headers, the schema, the settings, then the conversation. */
const RULES: readonly Rule[] = [
  ...headerRules,
  ...schemaRules,
  ...systemRules,
  ...thinkingRules,
  ...cacheRules,
  ...textRules,
  ...blockRules,
  ...toolRules,
  ...serverToolRules,
  ...thinkingPlaceRules,
  ...signatureRules,
];

/** Every id a verdict can name. `json` and `surrogate` are found while the body is read. */
export const anthropicMessagesRules: readonly string[] = ['json', 'surrogate', ...RULES.map(({ id }) => id)];

export const judgeAnthropicMessages: Judge = (request) => {
  const body = readBody(request);
  if (body.refusal) return { refusal: body.refusal, warnings: [] };
  const context = readContext(request, body.value);
  const warnings: string[] = [];
  for (const { id, status, unsure, check } of RULES) {
    const message = check(context);
    if (message === undefined) continue;
    if (!unsure) return { refusal: refusal(id, message, status, request.body), warnings };
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
    return { refusal: refusal('json', `The request body is not valid JSON: ${reason}`, 400, body) };
  }
  if (!isObject(value)) return { refusal: refusal('json', 'Input should be a valid dictionary', 400, body) };
  const lone = loneSurrogate(body, value);
  return lone === undefined ? { value } : { refusal: refusal('surrogate', lone, 400, body) };
}
