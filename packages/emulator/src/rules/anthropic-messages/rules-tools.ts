/** Rules about tools: definitions, calls and results of client tools, and tools that run on Anthropic's side. */
import { isObject } from '../../json.ts';
import { first } from '../verdict.ts';
import {
  type AnthropicRule,
  type Context,
  isServerCall,
  isServerResult,
  type PlacedBlock,
  type Turn,
} from './context.ts';

const TOOL_ID = /^[a-zA-Z0-9_-]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

const calls = (turn: Turn | undefined): readonly PlacedBlock[] =>
  turn?.role === 'assistant' ? turn.blocks.filter(({ type }) => type === 'tool_use') : [];
const results = (turn: Turn | undefined): readonly PlacedBlock[] =>
  turn?.role === 'user' ? turn.blocks.filter(({ type }) => type === 'tool_result') : [];
const answers = (turn: Turn | undefined): ReadonlySet<unknown> =>
  new Set(results(turn).map(({ block }) => block.tool_use_id));

function unanswered(missing: readonly PlacedBlock[]): string | undefined {
  const [call] = missing;
  if (!call) return undefined;
  const ids = missing.map(({ block }) => block.id).join(', ');
  return `messages.${call.message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

/** Results that follow another block: in their own message, or (unsure) in an earlier message of the same turn. */
const late = (turn: Turn | undefined, sameMessage: boolean): ReadonlySet<unknown> =>
  new Set(
    results(turn)
      .filter((result) =>
        turn?.blocks
          .slice(0, turn.blocks.indexOf(result))
          .some(({ type, message }) => type !== 'tool_result' && (message === result.message) === sameMessage),
      )
      .map(({ block }) => block.tool_use_id),
  );

const notFirst =
  (sameMessage: boolean): AnthropicRule['check'] =>
  ({ dialogue }) =>
    first(dialogue.entries(), ([index, turn]) => {
      const behind = late(dialogue[index + 1], sameMessage);
      return unanswered(calls(turn).filter(({ block }) => behind.has(block.id)));
    });

export const toolRules: readonly AnthropicRule[] = [
  {
    id: 'tool-id',
    check: ({ blocks }) =>
      first(blocks, ({ block, path, type }) => {
        const field = type === 'tool_use' ? 'id' : type === 'tool_result' ? 'tool_use_id' : undefined;
        return field === undefined || TOOL_ID.test(`${block[field]}`)
          ? undefined
          : `${path}.${type}.${field}: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      }),
  },
  {
    id: 'tool-input',
    check: ({ blocks }) =>
      first(blocks, ({ block, path, type }) =>
        /^(?:server_|mcp_)?tool_use$/.test(type) && !isObject(block.input)
          ? `${path}.${type}.input: Input should be a valid dictionary`
          : undefined,
      ),
  },
  {
    id: 'tool-name',
    check: ({ blocks, tools }) =>
      first(tools.entries(), ([index, { type, name }]) =>
        (type === undefined || type === 'custom') && !TOOL_NAME.test(`${name}`)
          ? `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`
          : undefined,
      ) ??
      first(blocks, ({ block, path, type }) =>
        type === 'tool_use' && !TOOL_NAME.test(`${block.name}`)
          ? `${path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`
          : undefined,
      ),
  },
  {
    id: 'tool-schema',
    check: ({ tools }) =>
      first(tools.entries(), ([index, { type, input_schema }]) => {
        if (type !== undefined && type !== 'custom') return undefined;
        const path = `tools.${index}.custom.input_schema`;
        if (!isObject(input_schema)) return `${path}: Input should be a valid dictionary`;
        if (input_schema.type === undefined) return `${path}.type: Field required`;
        return input_schema.type === 'object' ? undefined : `${path}.type: Input should be 'object'`;
      }),
  },
  {
    // Within a turn only: ids used again in a later turn are accepted.
    id: 'tool-id-unique',
    check: ({ dialogue }) =>
      first(dialogue, (turn) => {
        const all = calls(turn);
        const twice = all.find(({ block }, index) => all.slice(0, index).some((other) => other.block.id === block.id));
        return twice && `${twice.path}: \`tool_use\` ids must be unique`;
      }),
  },
  {
    id: 'tool-result-orphan',
    check: ({ dialogue }) =>
      first(dialogue.entries(), ([index, turn]) => {
        const known = new Set(calls(dialogue[index - 1]).map(({ block }) => block.id));
        const orphan = results(turn).find(({ block }) => !known.has(block.tool_use_id));
        return (
          orphan &&
          `${orphan.path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan.block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
        );
      }),
  },
  {
    id: 'tool-result-dup',
    check: ({ dialogue }) =>
      first(dialogue, (turn) => {
        const all = results(turn);
        const twice = all.find(({ block: { tool_use_id } }, index) =>
          all.slice(0, index).some((other) => other.block.tool_use_id === tool_use_id),
        );
        return (
          twice &&
          `${twice.path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice.block.tool_use_id}`
        );
      }),
  },
  {
    id: 'tool-unanswered',
    check: ({ dialogue }) =>
      first(dialogue.entries(), ([index, turn]) => {
        const answered = answers(dialogue[index + 1]);
        return unanswered(calls(turn).filter(({ block }) => !answered.has(block.id)));
      }),
  },
  { id: 'tool-result-not-first', check: notFirst(true) },
  { id: 'tool-result-not-first-split', unsure: true, check: notFirst(false) },
];

const SERVER_TOOL_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;

const resultType = ({ type, block }: PlacedBlock): string => {
  if (type === 'mcp_tool_use') return 'mcp_tool_result';
  return `${block.name}`.startsWith('tool_search_tool') ? 'tool_search_tool_result' : `${block.name}_tool_result`;
};

/**
 * Still running: since then only tool results came from the client. A program that calls client tools runs on across
 * several such rounds; the assistant turns between them hold nothing but its own calls.
 */
function inFlight(call: PlacedBlock, later: readonly Turn[]): boolean {
  const fromProgram = ({ block: { caller } }: PlacedBlock) => isObject(caller) && caller.tool_id === call.block.id;
  return later.every(({ role, blocks }) =>
    role === 'user' ? blocks.every(({ type }) => type === 'tool_result') : blocks.every(fromProgram),
  );
}

function abandoned({ dialogue, blocks }: Context): PlacedBlock | undefined {
  const answered = new Set(blocks.filter(isServerResult).map(({ block }) => block.tool_use_id));
  const running = dialogue.flatMap((turn, index) => turn.blocks.filter(isServerCall).map((call) => ({ call, index })));
  return running
    .filter(({ call }) => !answered.has(call.block.id))
    .find(({ call, index }) => !inFlight(call, dialogue.slice(index + 1)))?.call;
}

/** Every `encrypted_content` at any depth. */
function ciphertexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(ciphertexts);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    name === 'encrypted_content' && typeof item === 'string' ? [item] : ciphertexts(item),
  );
}

export const serverToolRules: readonly AnthropicRule[] = [
  {
    id: 'server-tool-id',
    check: ({ blocks }) =>
      first(blocks, ({ type, block, path }) =>
        type === 'server_tool_use' && !SERVER_TOOL_ID.test(`${block.id}`)
          ? `${path}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`
          : undefined,
      ),
  },
  {
    id: 'server-result-orphan',
    check: ({ blocks }) =>
      first(blocks.entries(), ([index, result]) => {
        if (!isServerResult(result)) return undefined;
        const { path, type, block } = result;
        const call = type === 'mcp_tool_result' ? 'mcp_tool_use' : 'server_tool_use';
        return blocks.slice(0, index).some((other) => other.type === call && other.block.id === block.tool_use_id)
          ? undefined
          : `${path}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${block.tool_use_id}. Each \`${type}\` block must have a corresponding \`${call}\` block before it.`;
      }),
  },
  {
    id: 'server-tool-unanswered',
    check: (context) => {
      const call = abandoned(context);
      return (
        call &&
        `messages.${call.message}: \`${call.block.name}\` tool use with id \`${call.block.id}\` was found without a corresponding \`${resultType(call)}\` block`
      );
    },
  },
  {
    id: 'server-result-altered',
    check: ({ blocks, request: { memory } }) =>
      memory &&
      first(blocks, (result) =>
        isServerResult(result) && ciphertexts(result.block.content).some((value) => !memory.issued(value))
          ? `${result.path}: Invalid \`encrypted_content\` in \`${result.type}\` block`
          : undefined,
      ),
  },
];
