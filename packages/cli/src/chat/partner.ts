import { type Config, describeProblem, loadAgents, presetParams } from '@skein/agents';
import type { Engine, Forest, GenerateOptions } from '@skein/forest';
import { warn } from '../output/output.ts';
import { agentNamed } from '../world/agent-named.ts';
import {
  type Asking,
  modelNamed,
  modelToGoOn,
  type NamedModel,
  nameOfModel,
  openAsking,
  openEngine,
} from '../world/asking.ts';

/** Whom one talks to: a model, or an agent with its system text and tools. */
export interface Partner {
  /** What a person calls it. */
  readonly name: string;
  readonly engine: Engine;
  readonly asking: Asking;
  readonly system: string | undefined;
  /** For the engine. */
  readonly options: GenerateOptions;
  close(): Promise<void>;
}

/** A name with a slash is a model's, any other an agent's. `last` answered so far, and goes on unless another is named. */
export async function openPartner(
  who: string | undefined,
  last: NamedModel | undefined,
  config: Config,
  forest: Forest,
): Promise<Partner> {
  const model = who?.includes('/') ? modelNamed(who, config) : undefined;
  const needed = who === undefined ? last : model;
  const asking = await openAsking(config, needed ? [needed.provider] : []);
  const engine = await openEngine(forest, asking);
  try {
    return who === undefined || model
      ? modelPartner(
          model ?? modelToGoOn(last, config, asking),
          engine,
          asking,
          last ? undefined : presetParams(config),
        )
      : await agentPartner(who, engine, asking, config, forest);
  } catch (error) {
    await asking.close();
    throw error;
  }
}

/** The same partner on another model. */
export function withModel(partner: Partner, model: NamedModel): Partner {
  return { ...partner, name: nameOfModel(model), options: { ...partner.options, model, fallback: [] } };
}

/** Without parameters of its own a conversation goes on with those of its last request. */
function modelPartner(model: NamedModel, engine: Engine, asking: Asking, params: GenerateOptions['params']): Partner {
  const { close } = asking;
  const options = { model, ...(params && { params }) };
  return { name: nameOfModel(model), engine, asking, system: undefined, options, close };
}

async function agentPartner(
  name: string,
  engine: Engine,
  asking: Asking,
  config: Config,
  forest: Forest,
): Promise<Partner> {
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
    return { name: called, engine, asking, system, options: { ...rest, label: agent.id }, close };
  } catch (error) {
    await loaded.close();
    throw error;
  }
}
