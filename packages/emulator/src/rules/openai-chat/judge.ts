import { type Dialect, withDialect } from '../openai/dialect.ts';
import { parseBody, runRules } from '../openai/run.ts';
import type { Judge } from '../verdict.ts';
import { type ChatRule, chatContext } from './context.ts';
import { argumentsType, callName, toolCallsEmpty, toolIdLong, toolName } from './rules-calls.ts';
import { audioModel, contentEmpty, contentNull, name, partRole } from './rules-content.ts';
import { toolOrphan, toolUnanswered } from './rules-pairing.ts';
import {
  deepSeekReasoning,
  maxTokens,
  parallelNoTools,
  streamOptions,
  toolChoiceNoTools,
  toolsEmpty,
  webSearch,
} from './rules-params.ts';
import { invalidType, required, role, toolType, unknownMessageParam, unknownParam } from './rules-schema.ts';

const protocol = 'openai-chat';

/** In the order in which the API looks: the schema, then single values, then what belongs together. */
const rules: readonly ChatRule[] = [
  unknownParam,
  required,
  invalidType,
  role,
  toolType,
  unknownMessageParam,
  toolsEmpty,
  toolName,
  name,
  contentEmpty,
  partRole,
  toolCallsEmpty,
  argumentsType,
  toolIdLong,
  callName,
  toolChoiceNoTools,
  parallelNoTools,
  streamOptions,
  maxTokens,
  webSearch,
  audioModel,
  contentNull,
  toolUnanswered,
  toolOrphan,
  deepSeekReasoning,
];

/** Every rule of this judge, `json` being the one before the list. */
export const openAIChatRules: readonly string[] = ['json', ...rules.map(({ id }) => id)].map(
  (id) => `${protocol}.${id}`,
);

export interface ChatJudgeOptions extends Dialect {
  /** Refuse unknown fields of messages instead of warning of them. */
  readonly refuseUnknownMessageFields?: boolean;
}

export function createOpenAIChatJudge(options: ChatJudgeOptions = {}): Judge {
  const applied = withDialect(rules, options);
  return (request) => {
    const parsed = parseBody(protocol, request.body);
    if ('verdict' in parsed) return parsed.verdict;
    const context = chatContext(request, parsed.fields, options, options.refuseUnknownMessageFields ?? false);
    return runRules(protocol, applied, context);
  };
}

export const judgeOpenAIChat: Judge = createOpenAIChatJudge();
