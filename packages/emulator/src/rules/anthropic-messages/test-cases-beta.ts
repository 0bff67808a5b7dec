import type { Json } from '../../json.ts';
import type { Memory } from '../verdict.ts';
import { summaryRecord } from './rules-beta.ts';
import { assistant, type Cases, hello, NEW, send, system, text, toolUse, user } from './test-requests.ts';

const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
const summary = (more: Json = {}): Json => ({
  type: 'compaction',
  content: 'They met.',
  encrypted_content: null,
  signature: 'sig',
  tool_changes: [],
  ...more,
});
const memory: Memory = {
  issued: (value) => (value === 'sig' ? { text: summaryRecord(summary()) } : undefined),
  stored: () => false,
  ownField: () => false,
};
const asks = (...messages: Json[]) => send({ model: NEW, messages }, { memory });
const compacts = (...messages: Json[]) => send({ model: NEW, messages, compaction: { type: 'summarize' } });
const tools = [{ name: 'look', input_schema: { type: 'object' } }];
const changes = (...content: Json[]) => send({ model: NEW, tools, messages: [hello, system(...content)] });
const reference = (name: string): Json => ({ type: 'tool_removal', tool: { type: 'tool_reference', name } });
const definition = (tool: Json): Json => ({
  type: 'tool_addition',
  tool: { type: 'tool_definition', definition: tool },
});

export const betaCases: Cases = {
  'beta-missing': {
    good: send(
      { fallbacks: 'default' },
      { headers: { ...headers, 'anthropic-beta': 'server-side-fallback-2026-06-01' } },
    ),
    bad: send({ fallbacks: 'default' }, { headers }),
    message: 'fallbacks: Extra inputs are not permitted',
    unsure: true,
  },
  'compaction-block-ambiguous': {
    good: asks(assistant(summary()), hello),
    bad: asks(assistant(summary(), summary()), hello),
    message: 'messages: more than one `compaction` block has content',
    code: 'compaction_block_ambiguous',
  },
  'compaction-block-misplaced': {
    good: asks(assistant(summary()), hello),
    bad: asks(hello, assistant(summary()), hello),
    message: 'messages.1.content.0: a `compaction` block must be the first block of the conversation',
    code: 'compaction_block_misplaced',
  },
  'compaction-signature-invalid': {
    good: asks(assistant(summary()), hello),
    bad: asks(assistant(summary({ signature: 'other' })), hello),
    message: 'messages.0.content.0: Invalid `signature` in `compaction` block',
    code: 'compaction_signature_invalid',
  },
  'compaction-content-mismatch': {
    good: asks(assistant(summary()), hello),
    bad: asks(assistant(summary({ content: 'They parted.' })), hello),
    message: 'messages.0.content.0.content: the content differs from the text that was signed',
    code: 'compaction_content_mismatch',
  },
  'compaction-tool-changes-mismatch': {
    good: asks(assistant(summary()), hello),
    bad: asks(assistant(summary({ tool_changes: undefined })), hello),
    message: 'messages.0.content.0.tool_changes: the changes differ from those that were returned with the block',
    code: 'compaction_tool_changes_mismatch',
  },
  'compaction-context-management': {
    good: compacts(hello),
    bad: send({ compaction: { type: 'summarize' }, context_management: { edits: [] } }),
    message: 'compaction: cannot be combined with `context_management`',
  },
  'compaction-nothing-to-summarize': {
    good: compacts(hello, assistant(text('Hi'))),
    bad: compacts(system(text('Hurry'))),
    message: 'messages: there is nothing to summarize',
    code: 'compaction_nothing_to_summarize',
  },
  'compaction-incomplete-turn': {
    good: compacts(hello, assistant(text('Hi')), user(text('Bye'))),
    bad: compacts(hello, assistant(toolUse('toolu_1'))),
    message: 'messages: the last assistant turn is not finished',
    code: 'compaction_incomplete_turn',
  },
  'tool-reference-unresolved': {
    good: changes(
      definition({ name: 'clock', input_schema: { type: 'object' } }),
      reference('clock'),
      reference('look'),
    ),
    bad: changes(reference('clock')),
    message: "messages.1.content.0.tool: tool 'clock' is not defined at this position",
    code: 'tool_reference_unresolved',
  },
  'tool-name-conflict': {
    good: changes(definition({ ...tools[0] })),
    bad: changes(definition({ type: 'bash_20250124', name: 'look' })),
    message: "messages.1.content.0.tool.definition.name: 'look' is the name of a tool of another kind",
    code: 'tool_name_conflict',
  },
};
