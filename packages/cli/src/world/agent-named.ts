import { type Agent, describeProblem, type LoadedAgents, type Problem } from '@skein/agents';
import { warn } from '../output/output.ts';

/** An agent by its name or that of its file. */
export function agentNamed(name: string, loaded: LoadedAgents, folder: string, hint = ''): Agent {
  const found = loaded.find(name);
  if (found) return found;
  for (const problem of problemsOf(loaded)) warn(describeProblem(problem));
  const names = loaded.agents.map(({ id }) => id).join(', ') || 'none';
  throw new Error(`There is no agent "${name}" in ${folder}. There is: ${names}.${hint}`);
}

/** What is wrong with the files. Nobody has to have agents, so a folder that is not there is no problem. */
export function problemsOf({ problems }: LoadedAgents): readonly Problem[] {
  return problems.filter(({ code, severity }) => code !== 'unreadable' || severity === 'error');
}
