import { type Dialect, withDialect } from '../openai/dialect.ts';
import { parseBody, runRules } from '../openai/run.ts';
import type { Judge } from '../verdict.ts';
import { type ResponsesRule, responsesContext } from './context.ts';
import { argumentsType, callIdLong, callName, outputType, toolNested } from './rules-calls.ts';
import { contentType, fileMime, imageSource, role } from './rules-content.ts';
import { idChars, idDup, idLong, idPrefix } from './rules-ids.ts';
import { callUnanswered, outputOrphan } from './rules-pairing.ts';
import { prevAndConversation, previousNotFound, temperature } from './rules-params.ts';
import {
  encryptedContent,
  missingReasoning,
  reasoningFollowing,
  reasoningNotPersisted,
  referenceNotFound,
} from './rules-reasoning.ts';
import { invalidType, itemTypes, required, toolTypes, unknownItemParam, unknownParam } from './rules-schema.ts';

const protocol = 'openai-responses';

/** In the order in which the API looks: the schema, single values, what is stored, what belongs together. */
const rules: readonly ResponsesRule[] = [
  toolNested,
  unknownParam,
  invalidType,
  itemTypes,
  role,
  contentType,
  unknownItemParam,
  argumentsType,
  outputType,
  required,
  toolTypes,
  callName,
  idPrefix,
  idChars,
  idLong,
  callIdLong,
  temperature,
  prevAndConversation,
  imageSource,
  fileMime,
  idDup,
  previousNotFound,
  referenceNotFound,
  reasoningNotPersisted,
  encryptedContent,
  reasoningFollowing,
  missingReasoning,
  callUnanswered,
  outputOrphan,
];

/** Every rule of this judge, `json` being the one before the list. */
export const openAIResponsesRules: readonly string[] = ['json', ...rules.map(({ id }) => id)].map(
  (id) => `${protocol}.${id}`,
);

export function createOpenAIResponsesJudge(dialect: Dialect = {}): Judge {
  const applied = withDialect(rules, dialect);
  return (request) => {
    const parsed = parseBody(protocol, request.body);
    if ('verdict' in parsed) return parsed.verdict;
    return runRules(protocol, applied, responsesContext(request, parsed.fields, dialect));
  };
}

export const judgeOpenAIResponses: Judge = createOpenAIResponsesJudge();
