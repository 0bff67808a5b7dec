/** Tools that run on Anthropic's side: call and result both sit in assistant turns. */
import { isObject } from '../../json.ts';
import type { Context } from './context.ts';
import { first, type Rule } from './rule.ts';
import { isServerCall, isServerResult, type Placed, type Turn } from './turns.ts';

const SERVER_TOOL_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;

const resultType = ({ type, block }: Placed): string => {
  if (type === 'mcp_tool_use') return 'mcp_tool_result';
  return `${block.name}`.startsWith('tool_search_tool') ? 'tool_search_tool_result' : `${block.name}_tool_result`;
};

/**
 * Still running: since then only tool results came from the client. A program that calls client tools runs on across
 * several such rounds; the assistant turns between them hold nothing but its own calls.
 */
function inFlight(call: Placed, later: readonly Turn[]): boolean {
  const fromProgram = ({ block: { caller } }: Placed) => isObject(caller) && caller.tool_id === call.block.id;
  return later.every(({ role, blocks }) =>
    role === 'user' ? blocks.every(({ type }) => type === 'tool_result') : blocks.every(fromProgram),
  );
}

function abandoned({ dialogue, blocks }: Context): Placed | undefined {
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

export const serverToolRules: readonly Rule[] = [
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
