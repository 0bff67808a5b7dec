/** Judges requests to Anthropic's Messages API: reads the body, checks headers and schema, then applies the other rules. */

import { createHash } from 'node:crypto';
import { hasLoneSurrogate, isObject, isSet, type Json, LONE_SURROGATE } from '../../json.ts';
import { applyRules, first, type Judge, type JudgedRequest, type Refusal, readJson } from '../verdict.ts';
import { type AnthropicRule, type Context, readContext } from './context.ts';
import { blockRules, cacheRules, systemRules, textRules } from './rules-content.ts';
import { signatureRules, thinkingPlaceRules, thinkingRules } from './rules-thinking.ts';
import { serverToolRules, toolRules } from './rules-tools.ts';
import type { Issue } from './shape.ts';

const PROTOCOL = 'anthropic-messages';

const TEXT_PATH = /^(?:messages\.\d+\.content|system)\./;
const place = {
  block: (path: string) => TEXT_PATH.test(path),
  message: (path: string) => /^messages\.\d+\./.test(path) && !TEXT_PATH.test(path),
  tool: (path: string) => /^tools\./.test(path),
};

/** The path without indexes, as `Memory.ownField` knows it: `tool_use.caller`, `tools.custom.strict`. */
const ownFieldPath = (path: string): string => path.replaceAll(/\.\d+(?=\.)/g, '').replace(/^messages\.content\./, '');

const owned = ({ request: { memory, settings } }: Context, path: string): boolean =>
  settings?.refuseOwnFields !== true && memory?.ownField(path) === true;

const extra = (context: Context, where: (path: string) => boolean): string | undefined =>
  say(context.issues.find(({ kind, path }) => kind === 'extra' && where(path) && !owned(context, ownFieldPath(path))));

const say = (issue: Issue | undefined) => issue && `${issue.path}: ${issue.text}`;

const headerRules: readonly AnthropicRule[] = [
  {
    id: 'auth',
    status: 401,
    check: ({ request: { headers } }) =>
      headers && !headers['x-api-key'] && !headers.authorization ? 'x-api-key header is required' : undefined,
  },
  {
    id: 'version-header',
    check: ({ request: { headers, model } }) =>
      headers && model === undefined && !headers['anthropic-version']
        ? 'anthropic-version: header is required'
        : undefined,
  },
];

/** What the API version of 2026-10-21 no longer takes. Wordings are inferred. */
const versionRules: readonly AnthropicRule[] = [
  {
    id: 'version-sampling',
    check: ({ body, isNewVersion }) => {
      const name = isNewVersion && ['temperature', 'top_p', 'top_k'].find((one) => isSet(body[one]));
      return name ? `${name}: Extra inputs are not permitted` : undefined;
    },
  },
  {
    id: 'version-citations',
    check: ({ turns, isNewVersion }) => {
      if (!isNewVersion) return undefined;
      const blocks = turns.filter(({ role }) => role === 'user').flatMap((turn) => turn.blocks);
      const cited = blocks.find(({ type, block }) => type === 'text' && isSet(block.citations));
      return cited && `${cited.path}.text.citations: Extra inputs are not permitted`;
    },
  },
];

const schemaRules: readonly AnthropicRule[] = [
  {
    id: 'required',
    check: ({ body, request, issues }) => {
      // Bedrock and Vertex have the model in the path.
      const names = request.model === undefined ? ['model', 'max_tokens', 'messages'] : ['max_tokens', 'messages'];
      const missing = names.find((name) => body[name] === undefined || body[name] === null);
      if (missing !== undefined) return `${missing}: Field required`;
      return say(issues.find(({ kind }) => kind === 'required'));
    },
  },
  {
    id: 'no-messages',
    check: ({ body }) =>
      Array.isArray(body.messages) && body.messages.length === 0
        ? 'messages: at least one message is required'
        : undefined,
  },
  {
    id: 'extra-top',
    check: (context) => extra(context, (path) => !place.block(path) && !place.message(path) && !place.tool(path)),
  },
  { id: 'extra-message', check: (context) => extra(context, place.message) },
  { id: 'extra-block', check: (context) => extra(context, place.block) },
  { id: 'extra-tool', check: (context) => extra(context, place.tool) },
  {
    // Not in wire-rules.md: a known field with a value of the wrong type.
    id: 'type',
    check: (context) =>
      say(
        context.issues.find(({ kind, tag }) => kind === 'type' && (tag === undefined || !owned(context, `:${tag}`))),
      ) ??
      first(context.messages, ({ role }) =>
        ['user', 'assistant', 'system'].includes(`${role}`)
          ? undefined
          : `messages: Unexpected role "${role}". Allowed roles are "user" or "assistant"`,
      ),
  },
];

/** In the order in which the API checks: headers, the schema, the settings, then the conversation. */
const RULES: readonly AnthropicRule[] = [
  ...headerRules,
  ...schemaRules,
  ...versionRules,
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

/** Every rule id that a verdict can name. `json` and `surrogate` are checked while the body is read. */
export const anthropicMessagesRules: readonly string[] = ['json', 'surrogate', ...RULES.map(({ id }) => id)];

/** Judges a request as api.anthropic.com does, or as a host that has the model in the path. */
export const judgeAnthropicMessages: Judge = (request) => {
  const body = readBody(request);
  if (body.refusal) return { refusal: body.refusal, warnings: [] };
  return applyRules(PROTOCOL, RULES, readContext(request, body.value), (id, message, status) =>
    refuse(id, message, status, request.body),
  );
};

function readBody({ body }: JudgedRequest): { refusal: Refusal } | { refusal?: undefined; value: Json } {
  const read = readJson(body);
  if ('reason' in read)
    return { refusal: refuse('json', `The request body is not valid JSON: ${read.reason}`, 400, body) };
  const { value } = read;
  if (!isObject(value)) return { refusal: refuse('json', 'Input should be a valid dictionary', 400, body) };
  const lone = loneSurrogate(body, value);
  return lone === undefined ? { value } : { refusal: refuse('surrogate', lone, 400, body) };
}

const LONE_ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]/;

/** The message of the rule `surrogate`; undefined when the body has no lone surrogate. */
function loneSurrogate(text: string, value: unknown): string | undefined {
  if (!hasLoneSurrogate(value)) return undefined;
  const index = Math.max(0, LONE_ESCAPE.exec(text)?.index ?? text.search(LONE_SURROGATE));
  return `The request body is not valid JSON: no low surrogate in string: line 1 column ${index + 1} (char ${index})`;
}

const ERROR_TYPES: Readonly<Record<number, string>> = { 401: 'authentication_error', 404: 'not_found_error' };

function refuse(id: string, message: string, status = 400, seed = ''): Refusal {
  const type = ERROR_TYPES[status] ?? 'invalid_request_error';
  // Derived from the request, so that the judge is deterministic.
  const request_id = `req_011C${createHash('sha256').update(seed).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, 20)}`;
  const body = JSON.stringify({ type: 'error', error: { type, message }, request_id });
  return { rule: `${PROTOCOL}.${id}`, status, message, body };
}
