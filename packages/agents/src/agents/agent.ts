import { type Limits, type RequestParams, type Run, type RunOptions, run, type Tool } from '@skein/core';
import type { Problem } from '../files/problem.ts';
import type { ChosenModel } from './model.ts';

/** What an agent brings to a run, or to a generation in the forest. */
export interface AgentOptions {
  readonly model: ChosenModel;
  readonly fallback: readonly ChosenModel[];
  readonly system: string | undefined;
  readonly tools: readonly Tool[];
  readonly params: RequestParams;
  readonly extraBody: Readonly<Record<string, unknown>> | undefined;
  readonly limits: Limits;
}

/** An agent as its file describes it. */
export interface Agent {
  /** The file's name without its ending. */
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly file: string;
  readonly model: ChosenModel;
  readonly system: string | undefined;
  readonly params: RequestParams;
  readonly limits: Limits;
  /** Names of its tools as far as they are known without asking a server, and `mcp:…` for the rest. */
  readonly toolNames: readonly string[];
  /**
   * Everything that `run` needs but the messages. MCP servers are started for it. One that is not there costs its tools
   * and nothing else; `problems` says so, beside what the file holds that is not used.
   */
  options(): Promise<{ readonly options: AgentOptions; readonly problems: readonly Problem[] }>;
  /** Starts a run. What is given here counts before what the file says. */
  run(options: Omit<RunOptions, 'model'> & Partial<Pick<RunOptions, 'model'>>): Promise<Omit<Run, 'then'>>;
  /** Ends the MCP servers that only this agent uses. */
  close(): Promise<void>;
}

/** Starts a run with an agent's options and those that are given. */
export function runAgent(agent: AgentOptions, given: Parameters<Agent['run']>[0]): Omit<Run, 'then'> {
  const { env = agent.model.env } = given;
  // The models were loaded with variables of their own, which would count before those of the run.
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
