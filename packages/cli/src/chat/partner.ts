import { type Config, describeProblem, loadAgents, presetParams } from '@skein/agents';
import type { Forest, GenerateOptions } from '@skein/forest';
import { warn } from '../output/output.ts';
import { agentNamed } from '../world/agent-named.ts';
import { type Asking, defaultModel, modelNamed, type NamedModel, nameOfModel, openAsking } from '../world/asking.ts';

/** Whom one talks to: a model, or an agent with its system text and tools. */
export interface Partner {
  /** What a person calls it. */
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  readonly system: string | undefined;
  /** For the engine. */
  readonly options: GenerateOptions;
  close(): Promise<void>;
}

/** A name with a slash is a model's, any other an agent's. */
export async function openPartner(who: string | undefined, config: Config, forest: Forest): Promise<Partner> {
  const model = who?.includes('/') ? modelNamed(who, config) : undefined;
  const asking = await openAsking(config, model ? [model.provider] : []);
  try {
    return who === undefined || model
      ? modelPartner(model ?? defaultModel(config, asking), asking, config)
      : await agentPartner(who, asking, config, forest);
  } catch (error) {
    await asking.close();
    throw error;
  }
}

/** The same partner on another model. */
export function withModel(partner: Partner, model: NamedModel): Partner {
  return { ...partner, name: nameOfModel(model), options: { ...partner.options, model, fallback: [] } };
}

function modelPartner(model: NamedModel, { env, close }: Asking, config: Config): Partner {
  const options = { model, params: presetParams(config) };
  return { name: nameOfModel(model), env, system: undefined, options, close };
}

async function agentPartner(name: string, asking: Asking, config: Config, forest: Forest): Promise<Partner> {
  const loaded = await loadAgents(config.agents, { config, env: asking.env, forest });
  const close = async () => {
    await loaded.close();
    await asking.close();
  };
  try {
    const agent = agentNamed(name, loaded, config.agents, ' A model is written provider/model.');
    const { options, problems } = await agent.options();
    for (const problem of problems) warn(describeProblem(problem));
    const { system, ...rest } = options;
    const called = `${agent.name}, ${nameOfModel(agent.model)}`;
    return { name: called, env: asking.env, system, options: { ...rest, label: agent.id }, close };
  } catch (error) {
    await loaded.close();
    throw error;
  }
}
