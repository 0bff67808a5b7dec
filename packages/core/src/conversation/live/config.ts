import type { NativeTool, ProviderDescriptor } from '../../dialects/index.ts';
import type { SelectOptions } from '../../providers/index.ts';
import type { ModelChoice, RunOptions, Tool } from '../../run/index.ts';

/** How a conversation is run. Nothing of it is ever saved. */
export interface ConversationConfig
  extends Omit<RunOptions, 'model' | 'system' | 'messages' | 'previous' | 'checkpoints' | 'output' | 'outgoing'> {
  /** By name, or a descriptor. Without `model`, one of its models is chosen. */
  readonly provider?: string | ProviderDescriptor | undefined;
  /** `provider/model`, or a model of `provider`. Without both, one is chosen by what is asked and which keys exist. */
  readonly model?: ModelChoice | undefined;
  /** How a model is chosen where none is named. */
  readonly select?: Pick<SelectOptions, 'models' | 'strategy'> | undefined;
}

/** Changes to a configuration. `params` and `limits` are merged; `tools` takes the place of all tools there are. */
export interface ConfigDelta extends ConversationConfig {
  /** Tools beside those there are; one of the same name is replaced. */
  readonly moreTools?: readonly (Tool | NativeTool)[] | undefined;
}
