import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Environment } from '@skein/core';
import { SkeinError } from '@skein/core';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/types.ts';
import { type ConfigProblem, describeProblem } from '../files/problem.ts';
import { readDocumentFile, reporter } from '../files/read-file.ts';
import type { Report } from '../files/shape.ts';
import { type McpServers, mcpServers } from '../mcp/servers.ts';
import type { ForestView } from '../tools/forest.ts';
import { type Agent, type AgentContext, buildAgent } from './agent.ts';

/** How to load agents. */
export interface LoadAgentsOptions {
  /** Default: the result of `loadConfig()`. */
  readonly config?: Config;
  /** The environment variables; default: those of the process. */
  readonly env?: Environment;
  /** MCP servers to share; default: those of the configuration, which `close` stops. */
  readonly mcp?: McpServers;
  /** The forest that the forest tools read. */
  readonly forest?: ForestView;
}

/** The agents of a folder. */
export interface LoadedAgents {
  /** In the order of their file names. */
  readonly agents: readonly Agent[];
  /** The problems of the agents that could not be loaded. */
  readonly problems: readonly ConfigProblem[];
  /** Finds an agent by its id or name. */
  find(name: string): Agent | undefined;
  /** Stops all MCP servers that were started here. */
  close(): Promise<void>;
}

/** An agent file cannot be used. */
export class AgentFileError extends SkeinError {
  override readonly name = 'AgentFileError';
  readonly code = 'invalid_agent';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.problems = problems;
  }
}

/**
 * Loads every agent in a folder. Agents with errors are listed in `problems`; the others are loaded all the same.
 *
 * @example
 * const { agents, problems, close } = await loadAgents('agents');
 * for (const problem of problems) console.warn(describeProblem(problem));
 * await close();
 */
export async function loadAgents(folder: string, options: LoadAgentsOptions = {}): Promise<LoadedAgents> {
  const problems: ConfigProblem[] = [];
  const context = await createContext(options, problems);
  const agents: Agent[] = [];
  for (const file of await agentFiles(folder, problems)) {
    const { agent, document } = await readAgent(file, context, problems);
    if (agent && document && isNew(agent, agents, reporter(document, problems))) agents.push(agent);
    else await agent?.close();
  }
  return {
    agents,
    problems,
    find: (name) => agents.find(({ id }) => id === name) ?? agents.find((agent) => agent.name === name),
    close: async () => {
      await Promise.all([...agents.map((agent) => agent.close()), ...(options.mcp ? [] : [context.mcp.close()])]);
    },
  };
}

/**
 * Loads one agent. Throws an `AgentFileError` that names file, line, key and what to do.
 *
 * @example
 * const agent = await loadAgent('agents/researcher.yaml');
 */
export async function loadAgent(path: string, options: LoadAgentsOptions = {}): Promise<Agent> {
  const problems: ConfigProblem[] = [];
  const context = await createContext(options, []);
  const { agent } = await readAgent(resolve(path), context, problems);
  if (!agent) throw new AgentFileError(problems.filter(({ severity }) => severity === 'error'));
  const close = async () => {
    await Promise.all([agent.close(), ...(options.mcp ? [] : [context.mcp.close()])]);
  };
  return { ...agent, close };
}

async function createContext({ config, env = process.env, mcp, forest }: LoadAgentsOptions, problems: ConfigProblem[]) {
  const loaded = config ? undefined : await loadConfig({ env });
  problems.push(...(loaded?.problems ?? []));
  const used = config ?? loaded!.config;
  return { config: used, env, mcp: mcp ?? mcpServers(used.mcp, { env }), forest } satisfies AgentContext;
}

async function agentFiles(folder: string, problems: ConfigProblem[]): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => /\.ya?ml$/i.test(name) && !name.startsWith('.'))
      .sort()
      .map((name) => resolve(join(folder, name)));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const fix = 'Make the folder, or name another with "agents" in skein.config.yaml.';
    const message = `The folder of the agents cannot be read (${code}).`;
    problems.push({ severity: 'notice', code: 'unreadable', file: folder, line: undefined, key: '', message, fix });
    return [];
  }
}

async function readAgent(file: string, context: AgentContext, problems: ConfigProblem[]) {
  const { document, problems: found } = await readDocumentFile(file);
  problems.push(...found);
  const agent = document && (await buildAgent(document, context, problems));
  return { document, agent: found.length === 0 ? agent : undefined };
}

function isNew(agent: Agent, agents: readonly Agent[], report: Report): boolean {
  const same = agents.find(({ id, name }) => id === agent.id || name === agent.name);
  if (same) report(['name'], 'duplicate', `${same.file} is "${same.name}", too.`, 'Give one of them another name.');
  return !same;
}
