import { basename, dirname, extname } from 'node:path';
import {
  type Environment,
  type Limits,
  type RequestParams,
  type Run,
  type RunOptions,
  run,
  type Tool,
} from '@skein/core';
import { toMcpServer } from '../config/resolve.ts';
import type { Config, Preset } from '../config/types.ts';
import type { Document } from '../files/document.ts';
import type { ConfigProblem } from '../files/problem.ts';
import { reporter } from '../files/read-file.ts';
import { type Report, suggestKnown } from '../files/shape.ts';
import { type McpServers, mcpServers } from '../mcp/servers.ts';
import type { ForestView } from '../tools/forest.ts';
import { type AgentFile, type AgentFileParams, agentShape } from './agent-file.ts';
import { type ChosenModel, chosenModel, modelOf } from './model.ts';
import { listedTools, type McpRef } from './tools.ts';

/** The options that an agent adds to a run, or to a generation in the forest. */
export interface AgentOptions {
  readonly model: ChosenModel;
  readonly fallback: readonly ChosenModel[];
  readonly system: string | undefined;
  readonly tools: readonly Tool[];
  readonly params: RequestParams;
  readonly extraBody: Readonly<Record<string, unknown>> | undefined;
  readonly limits: Limits;
}

/** An agent that was loaded from its file. */
export interface Agent {
  /** The file name without its extension. */
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly file: string;
  readonly model: ChosenModel;
  readonly system: string | undefined;
  readonly params: RequestParams;
  readonly limits: Limits;
  /** The names of its tools. The tools of an MCP server are not known yet, and are listed as `mcp:…`. */
  readonly toolNames: readonly string[];
  /**
   * The options of `run`, without the messages. Starts the MCP servers. If a server cannot be reached, only its tools are
   * missing; `problems` reports that, and the keys of the file that are not used.
   */
  options(): Promise<{ readonly options: AgentOptions; readonly problems: readonly ConfigProblem[] }>;
  /** Starts a run. The options given here override those of the file. */
  run(options: Omit<RunOptions, 'model'> & Partial<Pick<RunOptions, 'model'>>): Promise<Omit<Run, 'then'>>;
  /** Stops the MCP servers that only this agent uses. */
  close(): Promise<void>;
}

/** Starts a run with an agent's options, overridden by the given ones. */
function runAgent(agent: AgentOptions, given: Parameters<Agent['run']>[0]): Omit<Run, 'then'> {
  const { env = agent.model.env } = given;
  // The models were loaded with their own variables, which would override those of the run.
  const within = (model: ChosenModel): ChosenModel => ({ ...model, env });
  return run({
    ...agent,
    model: within(agent.model),
    fallback: agent.fallback.map(within),
    ...given,
    env,
    params: { ...agent.params, ...given.params },
    limits: { ...agent.limits, ...given.limits },
  });
}

/** What is needed to create agents. */
export interface AgentContext {
  readonly config: Config;
  readonly env: Environment;
  /** The servers of the configuration, shared by all agents. */
  readonly mcp: McpServers;
  readonly forest: ForestView | undefined;
}

/** The agent in a document; undefined if anything in it is wrong, with the reasons in `problems`. */
export async function buildAgent(
  document: Document,
  context: AgentContext,
  problems: ConfigProblem[],
): Promise<Agent | undefined> {
  const own: ConfigProblem[] = [];
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
  written: Partial<AgentFile>,
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
    params: toParams(written.params ?? {}, findPreset(written, config, report)),
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

/** The servers of the agent's own file; they override those of the configuration. */
function ownServers(written: Partial<AgentFile>, folder: string, { env }: AgentContext, report: Report) {
  const configs = Object.entries(written.mcp ?? {}).flatMap(([name, one]) => {
    const config = toMcpServer(one, folder, ['mcp', name], report);
    return config ? [[name, config] as const] : [];
  });
  return { own: mcpServers(Object.fromEntries(configs), { env }) };
}

/** Reports unknown names: a misspelt name would leave a tool without approval. */
function checkApprove(
  approve: readonly string[],
  tools: readonly Tool[],
  servers: readonly string[],
  report: Report,
): void {
  const names = tools.map(({ name }) => name);
  for (const [index, name] of approve.entries()) {
    if (names.includes(name) || servers.some((server) => name.startsWith(`${server}__`))) continue;
    report(['approve', index], 'unknown-tool', `This agent has no tool "${name}".`, suggestKnown(name, names));
  }
}

function unguarded(name: string, file: string): ConfigProblem {
  const message = `This agent has no tool "${name}". All tools of that server need approval instead.`;
  const fix = 'Give the name as the server has it.';
  return { severity: 'notice', code: 'mcp-tool', file, line: undefined, key: 'approve', message, fix };
}

function findPreset({ preset }: Partial<AgentFile>, { presets, preset: usual }: Config, report: Report) {
  const name = preset ?? usual;
  if (name === undefined) return undefined;
  if (Object.hasOwn(presets, name)) return presets[name];
  report(['preset'], 'wrong-value', `There is no preset "${name}".`, suggestKnown(name, Object.keys(presets)));
  return undefined;
}

/**
 * Marks the named tools, or all, as needing approval, whatever they declare themselves. Which tools a server has is known
 * only now: if it has no tool with a name, all its tools need approval, and the name is in `unmatched`.
 */
function withApproval(
  tools: readonly Tool[],
  approve: readonly string[] | 'all',
  servers: readonly string[] = [],
): { readonly tools: readonly Tool[]; readonly unmatched: readonly string[] } {
  const serverOf = (name: string) => servers.find((server) => name.startsWith(`${server}__`));
  const names = new Set(tools.map(({ name }) => name));
  const there = new Set(tools.map(({ name }) => serverOf(name)));
  const unmatched = approve === 'all' ? [] : approve.filter((name) => !names.has(name) && there.has(serverOf(name)));
  const guarded = new Set(unmatched.map(serverOf));
  const needs = (name: string) =>
    approve === 'all' || approve.includes(name) || (guarded.size > 0 && guarded.has(serverOf(name)));
  return {
    tools: tools.map((tool) => (needs(tool.name) ? Object.freeze({ ...tool, needsApproval: () => true }) : tool)),
    unmatched,
  };
}

/** The tools of the servers that an agent names; all servers are asked at the same time. */
async function mcpTools(
  refs: readonly McpRef[],
  serversOf: (name: string) => McpServers,
  file: string,
): Promise<{ readonly tools: readonly Tool[]; readonly problems: readonly ConfigProblem[] }> {
  const names = [...new Set(refs.map(({ server }) => server))];
  const problems: ConfigProblem[] = [];
  const tell = (code: 'mcp-server' | 'mcp-tool', name: string, message: string, fix: string) =>
    problems.push({ severity: 'notice', code, file, line: undefined, key: `mcp:${name}`, message, fix });
  const found = await Promise.all(
    names.map(async (name) => {
      const { tools, problems: said } = await serversOf(name).tools(name);
      for (const message of said) tell('mcp-server', name, message, 'The agent works without what is missing.');
      const wanted = refs.filter(({ server }) => server === name).map(({ tool }) => tool);
      for (const one of wanted)
        if (one !== undefined && tools.length > 0 && !tools.some(({ remoteName }) => remoteName === one))
          tell(
            'mcp-tool',
            `${name}/${one}`,
            'The server has no such tool.',
            `It has: ${tools.map(({ remoteName }) => remoteName).join(', ')}.`,
          );
      return tools.filter(({ remoteName }) => wanted.includes(undefined) || wanted.includes(remoteName));
    }),
  );
  return { tools: found.flat().map(({ tool }) => tool), problems };
}

/**
 * The default parameters: those of the configured preset, without `n`, which is not a parameter.
 *
 * @example
 * const { config } = await loadConfig();
 * await run({ model, messages, params: presetParams(config) }).result;
 */
export function presetParams({ preset, presets }: Pick<Config, 'preset' | 'presets'>): RequestParams {
  return toParams({}, preset === undefined ? {} : presets[preset]);
}

/** The parameters of a request: those of the preset, overridden by those of the agent. */
function toParams(written: Partial<AgentFileParams>, preset: Preset = {}): RequestParams {
  const { max_tokens, top_p, parallel_tool_calls, ...same } = written;
  const { n: _, ...fromPreset } = preset;
  return {
    ...fromPreset,
    ...same,
    ...(max_tokens !== undefined && { maxTokens: max_tokens }),
    ...(top_p !== undefined && { topP: top_p }),
    ...(parallel_tool_calls !== undefined && { parallelToolCalls: parallel_tool_calls }),
  };
}
