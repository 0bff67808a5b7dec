import { basename, dirname, extname } from 'node:path';
import type { Environment, Tool } from '@skein/core';
import { mcpServerOf } from '../config/mcp-servers.ts';
import type { Config } from '../config/types.ts';
import type { Document } from '../files/document.ts';
import type { Problem } from '../files/problem.ts';
import { reporter } from '../files/read-file.ts';
import { insteadOf, type Report } from '../files/shape.ts';
import { type McpServers, mcpServers } from '../mcp/servers.ts';
import type { ForestView } from '../tools/forest.ts';
import { type Agent, type AgentOptions, runAgent } from './agent.ts';
import { withApproval } from './approve.ts';
import { mcpTools } from './mcp-tools.ts';
import { chosenModel, modelOf } from './model.ts';
import { paramsOf } from './params.ts';
import { listedTools } from './tools.ts';
import { agentShape, type WrittenAgent } from './written.ts';

/** What agents are made with. */
export interface AgentContext {
  readonly config: Config;
  readonly env: Environment;
  /** The servers of the configuration, shared by all agents. */
  readonly mcp: McpServers;
  readonly forest: ForestView | undefined;
}

/** The agent in a document; undefined, and `problems`, when anything in it is wrong. */
export async function buildAgent(
  document: Document,
  context: AgentContext,
  problems: Problem[],
): Promise<Agent | undefined> {
  const own: Problem[] = [];
  const report = reporter(document, own);
  const written = agentShape(document.value ?? {}, [], report);
  const agent = written && (await assemble(written, document.file, context, report));
  problems.push(...own);
  if (!agent || own.some(({ severity }) => severity === 'error')) return undefined;
  const options: Agent['options'] = async () => {
    const made = await agent.options();
    return { ...made, problems: [...own, ...made.problems] };
  };
  return { ...agent, options };
}

async function assemble(
  written: Partial<WrittenAgent>,
  file: string,
  context: AgentContext,
  report: Report,
): Promise<Agent | undefined> {
  const { config, env } = context;
  const folder = dirname(file);
  const choosing = { config, env, report };
  const servers = ownServers(written, folder, context, report);
  const names = [...servers.own.names, ...context.mcp.names];
  const { files, class_name: className } = written;
  const listing = { config, forest: context.forest, files, folder, servers: names, className, report };
  const { tools, mcp } = await listedTools(written.tools ?? [], listing);
  const approve = written.approve ?? [];
  if (approve !== 'all')
    checkApprove(
      approve,
      tools,
      mcp.map(({ server }) => server),
      report,
    );
  const model = modelOf(written, choosing);
  const fallback = (written.fallback ?? []).map((text, index) => chosenModel(text, ['fallback', index], choosing));
  if (!model) return undefined;
  const id = basename(file, extname(file));
  const fixed: Omit<AgentOptions, 'tools'> = {
    model,
    fallback: fallback.filter((one) => one !== undefined),
    system: written.system_prompt,
    params: paramsOf(written.params ?? {}, presetOf(written, config, report)),
    extraBody: written.extra_body,
    limits: written.limits ?? {},
  };
  const options: Agent['options'] = async () => {
    const found = await mcpTools(mcp, (name) => (servers.own.names.includes(name) ? servers.own : context.mcp), file);
    const used = mcp.map(({ server }) => server);
    const { tools: all, unmatched } = withApproval([...tools, ...found.tools], approve, used);
    const problems = [...found.problems, ...unmatched.map((name) => unguarded(name, file))];
    return { options: { ...fixed, tools: all }, problems };
  };
  return {
    ...fixed,
    id,
    name: written.name ?? id,
    description: written.description,
    file,
    toolNames: [
      ...tools.map((tool) => tool.name),
      ...mcp.map(({ server, tool }) => `mcp:${server}${tool ? `/${tool}` : ''}`),
    ],
    options,
    run: async (given) => runAgent((await options()).options, given),
    close: servers.own.close,
  };
}

/** Servers that the agent's own file describes; they come before those of the configuration. */
function ownServers(written: Partial<WrittenAgent>, folder: string, { env }: AgentContext, report: Report) {
  const configs = Object.entries(written.mcp ?? {}).flatMap(([name, one]) => {
    const config = mcpServerOf(one, folder, ['mcp', name], report);
    return config ? [[name, config] as const] : [];
  });
  return { own: mcpServers(Object.fromEntries(configs), { env }) };
}

/** A misspelt name would leave a tool without the approval that somebody wanted. */
function checkApprove(
  approve: readonly string[],
  tools: readonly Tool[],
  servers: readonly string[],
  report: Report,
): void {
  const names = tools.map(({ name }) => name);
  for (const [index, name] of approve.entries()) {
    if (names.includes(name) || servers.some((server) => name.startsWith(`${server}__`))) continue;
    report(['approve', index], 'unknown-tool', `This agent has no tool "${name}".`, insteadOf(name, names));
  }
}

function unguarded(name: string, file: string): Problem {
  const message = `This agent has no tool "${name}". All tools of that server need approval instead.`;
  const fix = 'Give the name as the server has it.';
  return { severity: 'notice', code: 'mcp-tool', file, line: undefined, key: 'approve', message, fix };
}

function presetOf({ preset }: Partial<WrittenAgent>, { presets, preset: usual }: Config, report: Report) {
  const name = preset ?? usual;
  if (name === undefined) return undefined;
  if (Object.hasOwn(presets, name)) return presets[name];
  report(['preset'], 'wrong-value', `There is no preset "${name}".`, insteadOf(name, Object.keys(presets)));
  return undefined;
}
