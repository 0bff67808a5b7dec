import { type Agent, describeProblem, type LoadedAgents } from '@skein/agents';
import { warn } from './output.ts';

/** An agent by its name or that of its file. */
export function agentNamed(name: string, loaded: LoadedAgents, folder: string): Agent {
  const found = loaded.find(name);
  if (found) return found;
  for (const problem of loaded.problems) warn(describeProblem(problem));
  const names = loaded.agents.map(({ id }) => id).join(', ') || 'none';
  throw new Error(`There is no agent "${name}" in ${folder}. There is: ${names}.`);
}
