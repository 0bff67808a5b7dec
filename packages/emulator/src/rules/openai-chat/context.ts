import { asText, eachObject, type Json } from '../../json.ts';
import type { ApiDifferences, OpenAIRule } from '../openai/rule.ts';
import type { JudgedRequest } from '../verdict.ts';

/** What the rules of Chat Completions look at. */
export interface ChatContext {
  readonly request: JudgedRequest;
  readonly body: Json;
  readonly model: string;
  readonly messages: readonly (readonly [number, Json])[];
  readonly differences: ApiDifferences;
  readonly refuseUnknownMessageFields: boolean;
}

export type ChatRule = OpenAIRule<ChatContext>;

export const isDeepSeek = ({ model }: ChatContext): boolean => model.startsWith('deepseek-');

/** DeepSeek's own fields. Otherwise its models are judged by the same rules. */
const deepSeek: ApiDifferences = { extra: ['thinking', 'messages.reasoning_content', 'messages.prefix'] };

export function chatContext(
  request: JudgedRequest,
  body: Json,
  differences: ApiDifferences,
  refuseUnknownMessageFields: boolean,
): ChatContext {
  const model = asText(body.model) ?? '';
  const own = model.startsWith('deepseek-') ? (deepSeek.extra ?? []) : [];
  return {
    request,
    body,
    model,
    messages: [...eachObject(body.messages)],
    differences: { ...differences, extra: [...(differences.extra ?? []), ...own] },
    refuseUnknownMessageFields,
  };
}
