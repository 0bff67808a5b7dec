/** Rules about what is in beta: which header it needs, summaries that the API writes, tools that change in mid-conversation. */
import { isDeepStrictEqual } from 'node:util';
import { asText, isObject, isSet, type Json, objects } from '../../json.ts';
import { first } from '../verdict.ts';
import { type AnthropicRule, type Context, isServerCall, type PlacedBlock } from './context.ts';

const SUMMARY_BETA = 'compact-2026-09-04';
const COMPACTION_BETA = 'compact-2026-01-12';

const isSummary = ({ type, block }: PlacedBlock): boolean => type === 'compaction' && isSet(block.signature);
const summaries = ({ blocks }: Context): readonly PlacedBlock[] => blocks.filter(isSummary);

/** What needs a beta: its place, and the betas of which one must be named. */
function* findBetas({ body, blocks, messages }: Context): Iterable<readonly [path: string, betas: readonly string[]]> {
  if (isSet(body.diagnostics)) yield ['diagnostics', ['cache-diagnosis-2026-04-07']];
  if (isSet(body.fallbacks))
    yield ['fallbacks', ['server-side-fallback-2026-06-01', 'server-side-fallback-2026-07-01']];
  if (isSet(body.fallback_credit_token))
    yield ['fallback_credit_token', ['fallback-credit-2026-06-01', 'fallback-credit-2026-07-01']];
  if (isSet(body.compaction)) yield ['compaction', [SUMMARY_BETA]];
  if (isSet(body.context_management)) yield ['context_management', ['context-management-2025-06-27', COMPACTION_BETA]];
  for (const placed of blocks) {
    const { type, path, block } = placed;
    if (type === 'compaction') yield [path, isSummary(placed) ? [SUMMARY_BETA] : [COMPACTION_BETA, SUMMARY_BETA]];
    if (type !== 'tool_addition' && type !== 'tool_removal') continue;
    yield [path, ['mid-conversation-tool-changes-2026-07-01']];
    if (isObject(block.tool) && block.tool.type === 'tool_definition') yield [path, ['inline-tools-2026-09-15']];
  }
  for (const [index, { role, clear_at: clearAt, output_config: config }] of messages.entries()) {
    if (role !== 'system') continue;
    if (isSet(clearAt)) yield [`messages.${index}.clear_at`, ['mid-conversation-system-clear-at-2026-08-21']];
    if (isSet(config)) yield [`messages.${index}.output_config`, ['mid-conversation-output-config-2026-07-01']];
  }
}

const betaRule: AnthropicRule = {
  // "Unsure" 13: that the API refuses it is certain for threads only.
  id: 'beta-missing',
  unsure: true,
  check: (context) =>
    // Other hosts have lists of their own.
    context.request.headers === undefined || context.request.model !== undefined
      ? undefined
      : first(findBetas(context), ([path, betas]) =>
          betas.some((beta) => context.betas.includes(beta)) ? undefined : `${path}: Extra inputs are not permitted`,
        ),
};

/** What the signature of a summary records. */
export const summaryRecord = ({ content, tool_changes: changes }: Json): string =>
  JSON.stringify({ content, tool_changes: changes ?? null });

/** What was recorded of a summary, or `false` if its signature is not one of this API's. */
function readRecord({ request: { memory } }: Context, { block }: PlacedBlock): Json | false | undefined {
  if (memory === undefined) return undefined;
  const issued = memory.issued(`${block.signature}`);
  return issued?.text === undefined ? false : (JSON.parse(issued.text) as Json);
}

/** Every code of `compaction_` that a request alone can bring about; the wordings are our own. */
const summaryRules: readonly AnthropicRule[] = [
  {
    id: 'compaction-block-ambiguous',
    check: (context) => {
      const told = summaries(context).filter(({ block }) => isSet(block.content));
      return told.length > 1 ? 'messages: more than one `compaction` block has content' : undefined;
    },
  },
  {
    id: 'compaction-block-misplaced',
    check: (context) => {
      const stray = summaries(context).find(({ message, index }) => message > 0 || index > 0);
      return stray && `${stray.path}: a \`compaction\` block must be the first block of the conversation`;
    },
  },
  {
    id: 'compaction-signature-invalid',
    check: (context) =>
      first(summaries(context), (placed) =>
        readRecord(context, placed) === false
          ? `${placed.path}: Invalid \`signature\` in \`compaction\` block`
          : undefined,
      ),
  },
  {
    id: 'compaction-content-mismatch',
    check: (context) =>
      first(summaries(context), (placed) => {
        const record = readRecord(context, placed);
        return record && record.content !== placed.block.content
          ? `${placed.path}.content: the content differs from the text that was signed`
          : undefined;
      }),
  },
  {
    id: 'compaction-tool-changes-mismatch',
    check: (context) =>
      first(summaries(context), (placed) => {
        const record = readRecord(context, placed);
        return record && !isDeepStrictEqual(record.tool_changes, placed.block.tool_changes ?? null)
          ? `${placed.path}.tool_changes: the changes differ from those that were returned with the block`
          : undefined;
      }),
  },
  {
    id: 'compaction-context-management',
    check: ({ body }) =>
      isSet(body.compaction) && isSet(body.context_management)
        ? 'compaction: cannot be combined with `context_management`'
        : undefined,
  },
  {
    id: 'compaction-nothing-to-summarize',
    check: ({ body, turns }) =>
      isSet(body.compaction) && !turns.some(({ role, blocks }) => role !== 'system' && blocks.length > 0)
        ? 'messages: there is nothing to summarize'
        : undefined,
  },
  {
    id: 'compaction-incomplete-turn',
    check: ({ body, turns }) => {
      const last = turns.at(-1);
      const isOpen =
        last?.role === 'assistant' && last.blocks.some((one) => one.type === 'tool_use' || isServerCall(one));
      return isSet(body.compaction) && isOpen ? 'messages: the last assistant turn is not finished' : undefined;
    },
  },
];

/** The tools that a conversation offers so far, by name. */
function* followTools({
  tools,
  blocks,
}: Context): Iterable<{ readonly placed: PlacedBlock; readonly held: ReadonlyMap<string, unknown> }> {
  const held = new Map<string, unknown>(tools.map(({ name, type }) => [`${name}`, type ?? 'custom']));
  for (const placed of blocks) {
    if (placed.type !== 'tool_addition' && placed.type !== 'tool_removal') continue;
    yield { placed, held };
    const { definition } = isObject(placed.block.tool) ? placed.block.tool : {};
    if (isObject(definition)) held.set(`${definition.name}`, definition.type ?? 'custom');
  }
}

const toolChangeRules: readonly AnthropicRule[] = [
  {
    id: 'tool-reference-unresolved',
    check: (context) =>
      first(followTools(context), ({ placed: { block, path }, held }) => {
        const { type, name } = isObject(block.tool) ? block.tool : {};
        const isKnown = type !== 'tool_reference' || held.has(`${name}`);
        return isKnown ? undefined : `${path}.tool: tool '${name}' is not defined at this position`;
      }),
  },
  {
    id: 'tool-name-conflict',
    check: (context) =>
      first(followTools(context), ({ placed: { block, path }, held }) => {
        const { definition } = isObject(block.tool) ? block.tool : {};
        if (!isObject(definition)) return undefined;
        const name = asText(definition.name) ?? '';
        return held.has(name) && held.get(name) !== (definition.type ?? 'custom')
          ? `${path}.tool.definition.name: '${name}' is the name of a tool of another kind`
          : undefined;
      }),
  },
];

export const betaRules: readonly AnthropicRule[] = [betaRule, ...summaryRules, ...toolChangeRules];

/** Refusals that name themselves in `details.error_code`: the rule's id in the API's spelling. */
const CODED = new Set([...summaryRules, ...toolChangeRules].map(({ id }) => id));
CODED.delete('compaction-context-management');

export const errorCode = (id: string): string | undefined => (CODED.has(id) ? id.replaceAll('-', '_') : undefined);

/** The summary that a request asks for: what the user said, in a line. */
export function summarise({ messages }: Json, seal: (text: string) => string): Json {
  const told = objects(messages).flatMap(({ role, content }) => {
    const texts = typeof content === 'string' ? [content] : objects(content).flatMap(({ text }) => asText(text) ?? []);
    return texts.length > 0 ? [`${role}: ${texts.join(' ')}`] : [];
  });
  const block = {
    type: 'compaction',
    content: `So far: ${told.join('; ')}`,
    encrypted_content: null,
    tool_changes: [],
  };
  return { ...block, signature: seal(summaryRecord(block)) };
}
