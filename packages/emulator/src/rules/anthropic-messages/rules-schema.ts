/** Headers and the closed schema. */
import type { Context } from './context.ts';
import { first, type Rule } from './rule.ts';
import type { Issue } from './shape.ts';

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

export const headerRules: readonly Rule[] = [
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

export const schemaRules: readonly Rule[] = [
  {
    id: 'required',
    check: ({ body, request, issues }) => {
      // Bedrock and Vertex name the model in the path.
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
