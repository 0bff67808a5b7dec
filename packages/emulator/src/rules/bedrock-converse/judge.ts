/** Judges requests to Bedrock's Converse: its own rules, and for Claude those of the model's own API. */
import { asText, eachObject, hasLoneSurrogate, isObject, type Json, objects } from '../../json.ts';
import { judgeAnthropicMessages } from '../anthropic-messages/judge.ts';
import { applyRules, first, type Judge, type JudgedRequest, type Refusal, type Rule, readJson } from '../verdict.ts';
import { isClaude, toMessagesBody } from './claude.ts';

interface Context {
  readonly request: JudgedRequest;
  readonly body: Json;
  readonly messages: readonly Json[];
  readonly model: string;
}

type ConverseRule = Rule<Context>;

/** The kinds of blocks; a block has one of them. */
const KINDS = [
  ...['text', 'image', 'document', 'video', 'audio', 'toolUse', 'toolResult', 'guardContent', 'cachePoint'],
  ...['reasoningContent', 'citationsContent', 'searchResult', 'toolAddition', 'toolRemoval', 'json'],
];

interface PlacedBlock {
  readonly block: Json;
  /** `messages.1.content.0` */
  readonly path: string;
}

/** The blocks of all messages, those inside of tool results included. */
function* placedBlocks({ messages }: Context): Iterable<PlacedBlock> {
  for (const [at, { content }] of messages.entries())
    for (const [index, block] of eachObject(content)) {
      const path = `messages.${at}.content.${index}`;
      yield { block, path };
      const { toolResult: result } = block;
      for (const [inner, part] of eachObject(isObject(result) ? result.content : undefined))
        yield { block: part, path: `${path}.toolResult.content.${inner}` };
    }
}

/** Calls and results of tools that run at the provider have a type of their own, and stand in one message. */
const isServerTool = ({ type }: Json): boolean => type !== undefined && type !== 'tool_use' && type !== 'tool_result';

const ids = (message: Json | undefined, kind: 'toolUse' | 'toolResult'): readonly string[] =>
  objects(message?.content)
    .map((block) => block[kind])
    .filter(isObject)
    .filter((inner) => !isServerTool(inner))
    .map(({ toolUseId }) => `${toolUseId}`);

const duplicates = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];

const ROLES = ['user', 'assistant', 'system'];
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID = /^[a-zA-Z0-9_.:-]{1,64}$/;

const constraint = (value: unknown, path: string, pattern: string): string =>
  `1 validation error detected: Value '${value}' at '${path}' failed to satisfy constraint: Member must satisfy regular expression pattern: ${pattern}`;

const contentRules: readonly ConverseRule[] = [
  {
    id: 'no-messages',
    check: ({ messages }) =>
      messages.length === 0
        ? 'A conversation must start with a user message. Try again with a conversation that starts with a user message.'
        : undefined,
  },
  {
    id: 'type',
    check: ({ messages }) =>
      first(messages.entries(), ([at, { role, content }]) => {
        if (!ROLES.includes(`${role}`))
          return `1 validation error detected: Value '${role}' at 'messages.${at + 1}.member.role' failed to satisfy constraint: Member must satisfy enum value set: [${ROLES.join(', ')}]`;
        return Array.isArray(content) ? undefined : `messages.${at}.content: a list of blocks is required`;
      }),
  },
  {
    id: 'block-kind',
    check: (context) =>
      first(placedBlocks(context), ({ block, path }) => {
        const kinds = Object.keys(block).filter((name) => KINDS.includes(name));
        if (kinds.length === 1) return undefined;
        const { memory, settings } = context.request;
        const isOwn = settings?.refuseOwnFields !== true && Object.keys(block).some((name) => memory?.ownField(name));
        if (kinds.length === 0 && isOwn) return undefined;
        return `The ContentBlock object at ${path} must set one of the following keys: ${KINDS.slice(0, -1).join(', ')}.`;
      }),
  },
  {
    id: 'empty-message',
    check: ({ messages }) =>
      first(messages.entries(), ([at, { content }]) =>
        objects(content).some((block) => block.cachePoint === undefined)
          ? undefined
          : `The content field in the Message object at messages.${at} is empty. Add a ContentBlock object to the content field and try again.`,
      ),
  },
  {
    id: 'blank-text',
    check: (context) =>
      first(placedBlocks(context), ({ block, path }) =>
        asText(block.text)?.trim() === ''
          ? `The text field in the ContentBlock object at ${path} is blank. Add text to the text field, and try again.`
          : undefined,
      ) ??
      first(eachObject(context.body.system), ([at, { text }]) =>
        asText(text)?.trim() === ''
          ? `The text field in the SystemContentBlock object at system.${at} is blank. Add text to the text field, and try again.`
          : undefined,
      ),
  },
  {
    id: 'document-name',
    check: (context) =>
      first(placedBlocks(context), ({ block: { document }, path }) =>
        isObject(document) && !/^[a-zA-Z0-9()[\]-]+(?:\s[a-zA-Z0-9()[\]-]+)*$/.test(`${document.name}`)
          ? `The document file name at ${path}.document can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.`
          : undefined,
      ),
  },
  {
    id: 'document-text',
    check: ({ messages }) =>
      first(messages.entries(), ([at, { content }]) => {
        const blocks = objects(content);
        const isBare = blocks.some(({ document }) => document) && !blocks.some(({ text }) => text);
        return isBare
          ? `The content field in the Message object at messages.${at} has a document, and must include a text ContentBlock, too.`
          : undefined;
      }),
  },
  {
    id: 'roles-alternate',
    check: ({ messages }) =>
      // A system message may stand anywhere: it changes tools or settings, and is no turn.
      messages
        .filter(({ role }) => role !== 'system')
        .some(({ role }, at, turns) => at > 0 && turns[at - 1]?.role === role)
        ? 'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.'
        : undefined,
  },
];

const toolRules: readonly ConverseRule[] = [
  {
    id: 'tool-config',
    check: ({ body, messages }) => {
      const { tools } = isObject(body.toolConfig) ? body.toolConfig : {};
      const isUsed = messages.some((message) => ids(message, 'toolUse').length + ids(message, 'toolResult').length > 0);
      return isUsed && objects(tools).length === 0
        ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.'
        : undefined;
    },
  },
  {
    id: 'tool-name',
    check: ({ body, messages }) => {
      const { tools } = isObject(body.toolConfig) ? body.toolConfig : {};
      return (
        first(eachObject(tools), ([at, { toolSpec: spec }]) =>
          isObject(spec) && !NAME.test(`${spec.name}`)
            ? constraint(spec.name, `toolConfig.tools.${at + 1}.member.toolSpec.name`, '[a-zA-Z0-9_-]+')
            : undefined,
        ) ??
        first(messages.entries(), ([at, { content }]) =>
          first(eachObject(content), ([index, { toolUse: use }]) =>
            isObject(use) && !NAME.test(`${use.name}`)
              ? constraint(
                  use.name,
                  `messages.${at + 1}.member.content.${index + 1}.member.toolUse.name`,
                  '[a-zA-Z0-9_-]+',
                )
              : undefined,
          ),
        )
      );
    },
  },
  {
    id: 'tool-id',
    check: ({ messages }) =>
      first(messages.entries(), ([at, message]) =>
        first([...ids(message, 'toolUse'), ...ids(message, 'toolResult')], (id) =>
          ID.test(id) ? undefined : constraint(id, `messages.${at + 1}.member.content.toolUseId`, '[a-zA-Z0-9_.:-]+'),
        ),
      ),
  },
  {
    id: 'tool-schema',
    check: ({ body }) => {
      const { tools } = isObject(body.toolConfig) ? body.toolConfig : {};
      return first(eachObject(tools), ([at, { toolSpec: spec }]) => {
        const schema = isObject(spec) && isObject(spec.inputSchema) ? spec.inputSchema.json : undefined;
        const isWrong = isObject(spec) && (!isObject(schema) || schema.type !== 'object');
        return isWrong
          ? `The value at toolConfig.tools.${at}.toolSpec.inputSchema.json.type must be one of the following: object.`
          : undefined;
      });
    },
  },
  {
    id: 'tool-input',
    check: (context) =>
      first(placedBlocks(context), ({ block: { toolUse: use }, path }) =>
        isObject(use) && !isObject(use.input)
          ? `The format of the value at ${path}.toolUse.input is invalid. Provide a json object for the field and try again.`
          : undefined,
      ),
  },
  {
    id: 'result-empty',
    check: (context) =>
      first(placedBlocks(context), ({ block: { toolResult: result }, path }) =>
        isObject(result) && result.status === 'error' && objects(result.content).length === 0
          ? `The content field at ${path}.toolResult cannot be empty when status value is error.`
          : undefined,
      ),
  },
  {
    id: 'tool-id-unique',
    check: ({ messages }) =>
      first(messages.entries(), ([at, message]) =>
        first(['toolUse', 'toolResult'] as const, (kind) => {
          const again = duplicates(ids(message, kind));
          return again.length > 0
            ? `The ${kind} blocks at messages.${at}.content contain duplicate Ids: ${again.join(', ')}`
            : undefined;
        }),
      ),
  },
  {
    id: 'tool-unanswered',
    check: ({ messages }) =>
      first(messages.entries(), ([at, message]) => {
        const results = ids(messages[at + 1], 'toolResult');
        const open = ids(message, 'toolUse').filter((id) => !results.includes(id));
        return open.length > 0
          ? `Expected toolResult blocks at messages.${at + 1}.content for the following Ids: ${open.join(', ')}`
          : undefined;
      }),
  },
  {
    id: 'tool-result-orphan',
    check: ({ messages }) =>
      first(messages.entries(), ([at, message]) => {
        const calls = at > 0 ? ids(messages[at - 1], 'toolUse') : [];
        return ids(message, 'toolResult').some((id) => !calls.includes(id))
          ? `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`
          : undefined;
      }),
  },
];

/** Models that cache, as far as AWS lists them; tools are cached with Claude only. */
const CACHES = /anthropic\.claude-(?!instant|v2|3-(?:haiku|sonnet|opus)|3-5-sonnet-20240620)|amazon\.nova/;
const HIDDEN = /^arn:/;

const cacheRule: ConverseRule = {
  id: 'cache-unsupported',
  status: 403,
  check: ({ body, messages, model }) => {
    if (HIDDEN.test(model)) return undefined;
    const config = isObject(body.toolConfig) ? body.toolConfig : {};
    const isPoint = ({ cachePoint: point }: Json): boolean => isObject(point);
    const inTools = objects(config.tools).some(isPoint);
    const all = [...objects(body.system), ...messages.flatMap(({ content }) => objects(content))];
    const isTaken = CACHES.test(model) && (!inTools || isClaude(model));
    return !isTaken && (inTools || all.some(isPoint))
      ? 'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.'
      : undefined;
  },
};

const PROTOCOL = 'bedrock-converse';

/** What the model refuses is told behind these words (recorded). */
const FROM_MODEL = 'The model returned the following errors: ';

/** Rules of the Messages API that do not apply to what Converse makes of a request: Bedrock fills in what is missing. */
const NOT_CHECKED = /\.(?:auth|version-header|required|extra-\w+|type)$/;

const modelRule: ConverseRule = {
  id: 'model-errors',
  check: ({ body, model, request: { memory, settings } }) => {
    if (!isClaude(model)) return undefined;
    const { refusal } = judgeAnthropicMessages({
      body: JSON.stringify(toMessagesBody(body)),
      model,
      ...(memory && { memory }),
      ...(settings && { settings }),
    });
    return refusal && !NOT_CHECKED.test(refusal.rule) ? FROM_MODEL + refusal.message : undefined;
  },
};

/** In the order in which the API checks, as far as it is known: the conversation, the tools, then the model. */
const RULES: readonly ConverseRule[] = [...contentRules, ...toolRules, cacheRule, modelRule];

/** Every rule id that a verdict can name. `json` and `surrogate` are checked while the body is read. */
export const bedrockConverseRules: readonly string[] = ['json', 'surrogate', ...RULES.map(({ id }) => id)];

/** Judges a request as Bedrock's Converse does; `model` is the one in the path. */
export const judgeBedrockConverse: Judge = (request) => {
  const read = readJson(request.body);
  const value = 'value' in read ? read.value : undefined;
  if (!isObject(value)) return { refusal: refuse('json', 'The request body is not a valid JSON object'), warnings: [] };
  if (hasLoneSurrogate(value))
    return { refusal: refuse('surrogate', 'The request body has a lone surrogate'), warnings: [] };
  const context = { request, body: value, messages: objects(value.messages), model: request.model ?? '' };
  return applyRules(PROTOCOL, RULES, context, refuse);
};

function refuse(id: string, message: string, status = 400): Refusal {
  return { rule: `${PROTOCOL}.${id}`, status, message, body: JSON.stringify({ message }) };
}
