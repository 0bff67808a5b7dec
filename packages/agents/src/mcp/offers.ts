import { type ContentBlock, type Tool, tool } from '@skein/core';
import type { McpServerConfig } from '../config/types.ts';
import { isRecord } from '../files/shape.ts';
import type { Connection } from './connection.ts';
import { listAll, type McpTool, mcpToolName, resourceBlock, toBlock } from './tools.ts';

/** The prompts and resources of a server, as tools that only read. A tool of the server with the same name counts instead. */
export function offerTools(server: string, config: McpServerConfig, link: Connection): McpTool[] {
  const { prompts, resources } = link.offers();
  const timeoutMs = config.callSeconds * 1000;
  const needsApproval = config.approve === 'all';
  const make = (remoteName: string, description: string, input: object, execute: Tool['execute']): McpTool => {
    const name = mcpToolName(server, remoteName);
    return {
      remoteName,
      tool: tool({ name, description, input: input as never, timeoutMs, needsApproval, execute }) as Tool,
    };
  };
  return [
    ...(resources
      ? [
          make('list_resources', `Lists what "${server}" offers to read.`, NO_INPUT, async (_input, { signal }) => {
            const [found, templates] = await Promise.all([
              listAll(link, 'resources/list', 'resources', signal),
              // Not every server with resources has templates.
              listAll(link, 'resources/templates/list', 'resourceTemplates', signal).catch(() => []),
            ]);
            return JSON.stringify({ resources: found, templates });
          }),
          make('read_resource', `Reads a resource of "${server}" by its address.`, URI, async (input, { signal }) =>
            readContents(await link.request('resources/read', { uri: (input as { uri: string }).uri }, signal)),
          ),
        ]
      : []),
    ...(prompts
      ? [
          make(
            'list_prompts',
            `Lists the prompts of "${server}" and their arguments.`,
            NO_INPUT,
            async (_input, { signal }) => JSON.stringify(await listAll(link, 'prompts/list', 'prompts', signal)),
          ),
          make('get_prompt', `Returns a prompt of "${server}", filled in.`, PROMPT, async (input, { signal }) =>
            readPrompt(await link.request('prompts/get', input as Record<string, unknown>, signal)),
          ),
        ]
      : []),
  ];
}

const NO_INPUT = { type: 'object', properties: {} };
const URI = { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] };
const PROMPT = {
  type: 'object',
  properties: { name: { type: 'string' }, arguments: { type: 'object', additionalProperties: { type: 'string' } } },
  required: ['name'],
};

function readContents(result: unknown): readonly ContentBlock[] {
  if (!isRecord(result) || !Array.isArray(result.contents)) throw new Error('The MCP server gave back no contents.');
  return result.contents.map(
    (one): ContentBlock =>
      (isRecord(one) ? resourceBlock(one) : undefined) ?? { type: 'text', text: JSON.stringify(one) },
  );
}

/** The messages of a prompt in their order, each with its role. */
function readPrompt(result: unknown): readonly ContentBlock[] {
  if (!isRecord(result) || !Array.isArray(result.messages)) throw new Error('The MCP server gave back no messages.');
  return result.messages.flatMap((one): ContentBlock[] => {
    if (!isRecord(one)) return [];
    const block = toBlock(one.content);
    return block.type === 'text' ? [{ type: 'text', text: `${String(one.role)}: ${block.text}` }] : [block];
  });
}
