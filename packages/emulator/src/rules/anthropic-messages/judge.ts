/** Judges requests to Anthropic's Messages API: reads the body, checks headers and schema, then applies the other rules. */
import { createHash } from 'node:crypto';
import { hasLoneSurrogate, isObject, isSet, type Json, LONE_SURROGATE } from '../../json.ts';
import { applyRules, first, type Judge, type JudgedRequest, type Refusal, readJson } from '../verdict.ts';
import {
  type AnthropicRule,
  type Context,
  isServerCall,
  isServerResult,
  isThinking,
  type PlacedBlock,
  placeBlocks,
  readContext,
} from './context.ts';
import { takesPrefill, takesSystemRole } from './models.ts';
import { contentBlocks } from './prefix.ts';
import { betaRules, errorCode } from './rules-beta.ts';
import { signatureRules, thinkingPlaceRules, thinkingRules } from './rules-thinking.ts';
import { serverToolRules, toolRules } from './rules-tools.ts';
import type { Issue } from './shape.ts';

// Rules about content: system messages, text, which blocks may be in which message, `cache_control`.

const systemRules: readonly AnthropicRule[] = [
  {
    id: 'system-role',
    check: ({ turns, model }) =>
      turns.some((turn) => turn.role === 'system') && !takesSystemRole(model)
        ? "role 'system' is not supported on this model"
        : undefined,
  },
  {
    // Consecutive system messages are one turn and are accepted (wire-rules, "surprises").
    id: 'system-placement',
    check: ({ turns }) =>
      first(turns.entries(), ([index, turn]) => {
        if (turn.role !== 'system') return undefined;
        const before = turns[index - 1];
        const end = before?.blocks.at(-1);
        const follows = before?.role === 'user' || isServerCall(end) || isServerResult(end);
        return follows
          ? undefined
          : `messages.${turn.first}: role 'system' must follow a 'user' message or an 'assistant' message that ends in a server tool use`;
      }),
  },
  {
    id: 'system-placement-after',
    check: ({ turns }) =>
      first(turns.entries(), ([index, turn]) => {
        const after = turns[index + 1];
        return turn.role !== 'system' || after === undefined || after.role === 'assistant'
          ? undefined
          : `messages.${turn.first}: role 'system' must be the last message or be followed by an 'assistant' message`;
      }),
  },
];

const isBlankText = (block: Json): boolean => block.type === 'text' && `${block.text}`.trim() === '';

/** Every text block of the request, including nested ones. */
function textBlocks({ system, blocks }: Context): readonly Json[] {
  const nested = blocks.flatMap(({ block }) => (Array.isArray(block.content) ? block.content.filter(isObject) : []));
  return [...system, ...blocks.map(({ block }) => block), ...nested].filter(({ type }) => type === 'text');
}

/** A system message may set the effort, and say nothing. */
const setsOutput = ({ output_config: config }: Json): boolean => isObject(config) && Object.keys(config).length > 0;

const textRules: readonly AnthropicRule[] = [
  {
    id: 'empty-message',
    check: ({ messages }) =>
      first(messages.entries(), ([index, message]) => {
        const exempt =
          (message.role === 'assistant' && index === messages.length - 1) ||
          (message.role === 'system' && message.content === undefined && setsOutput(message));
        return contentBlocks(message.content).length === 0 && !exempt
          ? `messages.${index}: all messages must have non-empty content except for the optional final assistant message`
          : undefined;
      }),
  },
  {
    id: 'empty-text',
    check: (context) =>
      textBlocks(context).some(({ text }) => text === '')
        ? 'messages: text content blocks must be non-empty'
        : undefined,
  },
  {
    // Blank text beside anything else is accepted (wire-rules, "surprises").
    id: 'whitespace-text',
    check: ({ messages }) =>
      messages.map(({ content }) => contentBlocks(content)).some((all) => all.length > 0 && all.every(isBlankText))
        ? 'messages: text content blocks must contain non-whitespace text'
        : undefined,
  },
  {
    // A paused turn is continued by sending the reply, which then ends in server tool blocks or a compaction. A summary is
    // asked for at the end of any turn.
    id: 'prefill',
    check: ({ turns, model, body }) => {
      const last = turns.at(-1);
      const end = last?.blocks.at(-1);
      const isContinued = isServerCall(end) || isServerResult(end) || end?.type === 'compaction';
      return last?.role !== 'assistant' || takesPrefill(model) || isContinued || isSet(body.compaction)
        ? undefined
        : 'This model does not support assistant message prefill. The conversation must end with a user message.';
    },
  },
  {
    id: 'trailing-space',
    check: ({ messages }) => {
      const last = messages.at(-1);
      const end = last && placeBlocks(last, 0).at(-1)?.block;
      return last?.role === 'assistant' && end?.type === 'text' && /\s$/.test(`${end.text}`)
        ? 'messages: final assistant content cannot end with trailing whitespace'
        : undefined;
    },
  },
];

/** Documents in assistant messages are refused by newer versions of the API only (`version-document`). */
const USER_ONLY = new Set(['tool_result', 'image', 'search_result', 'container_upload']);
const isAssistantOnly = (placed: PlacedBlock): boolean =>
  placed.type === 'tool_use' || isThinking(placed) || isServerCall(placed) || isServerResult(placed);

const blockRules: readonly AnthropicRule[] = [
  {
    // Named in wire-rules "Unsure" 9: the rule is certain, its wording is not.
    id: 'block-role',
    check: ({ turns }) =>
      first(turns, ({ role, blocks }) => {
        const stray = blocks.find((placed) =>
          role === 'assistant' ? USER_ONLY.has(placed.type) : isAssistantOnly(placed),
        );
        const allowed = role === 'assistant' ? 'user' : 'assistant';
        return stray && `${stray.path}: \`${stray.type}\` blocks can only be in \`${allowed}\` messages`;
      }),
  },
];

interface CacheMark {
  readonly path: string;
  readonly holder: Json;
}

const nested = ({ path, holder }: CacheMark): readonly CacheMark[] =>
  Array.isArray(holder.content)
    ? holder.content.filter(isObject).map((item, index) => ({ path: `${path}.content.${index}`, holder: item }))
    : [];

const isMarked = ({ holder }: CacheMark): boolean => isObject(holder.cache_control);

/** Everything with a `cache_control`, in the API's order: tools, system, messages; a tool result after its content. */
function cacheMarks({ tools, system, blocks }: Context): readonly CacheMark[] {
  const all: readonly CacheMark[] = [
    ...tools.map((holder, index) => ({ path: `tools.${index}`, holder })),
    ...system.map((holder, index) => ({ path: `system.${index}`, holder })),
    ...blocks.map(({ path, block }) => ({ path, holder: block })),
  ];
  return all.flatMap((item) => [...nested(item), item]).filter(isMarked);
}

const ttl = ({ holder: { cache_control: control } }: CacheMark): unknown =>
  isObject(control) ? (control.ttl ?? '5m') : '5m';

const cacheRules: readonly AnthropicRule[] = [
  {
    id: 'cache-empty',
    check: (context) => {
      const empty = cacheMarks(context).find(({ holder }) => holder.type === 'text' && holder.text === '');
      return empty && `${empty.path}.text: cache_control cannot be set for empty text blocks`;
    },
  },
  {
    id: 'cache-max',
    check: (context) => {
      const found = cacheMarks(context).length;
      return found > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${found}.` : undefined;
    },
  },
  {
    id: 'cache-ttl-order',
    check: (context) => {
      const all = cacheMarks(context);
      const late = all.findIndex(
        (item, index) => ttl(item) === '1h' && all.slice(0, index).some((other) => ttl(other) === '5m'),
      );
      return late < 0
        ? undefined
        : `${all[late]?.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`;
    },
  },
  {
    // "Unsure" 8: Copilot and Vertex refuse it.
    id: 'cache-in-tool-result',
    unsure: true,
    check: ({ blocks }) =>
      first(blocks, ({ type, path, block }) => {
        const inner = type === 'tool_result' ? nested({ path, holder: block }).find(isMarked) : undefined;
        return inner && `${inner.path}.cache_control: not allowed inside tool_result.content by every host`;
      }),
  },
];

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
  {
    id: 'version-document',
    check: ({ turns, isNewVersion }) => {
      const blocks = turns.filter(({ role }) => isNewVersion && role === 'assistant').flatMap((turn) => turn.blocks);
      const stray = blocks.find(({ type }) => type === 'document');
      return stray && `${stray.path}: \`document\` blocks can only be in \`user\` messages`;
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
  ...betaRules,
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
  const code = errorCode(id);
  const details = code === undefined ? {} : { details: { error_code: code } };
  const body = JSON.stringify({ type: 'error', error: { type, message, ...details }, request_id });
  return { rule: `${PROTOCOL}.${id}`, status, message, body };
}
