import type { Dialect } from '../openai/dialect.ts';
import type { Rule } from '../openai/run.ts';
import { eachFields, type Fields, text } from '../openai/values.ts';
import type { JudgedRequest } from '../verdict.ts';

/** What every chat rule looks at. */
export interface ChatContext {
  readonly request: JudgedRequest;
  readonly body: Fields;
  readonly model: string;
  readonly messages: readonly (readonly [number, Fields])[];
  readonly dialect: Dialect;
  readonly refuseUnknownMessageFields: boolean;
}

export type ChatRule = Rule<ChatContext>;

export const isDeepSeek = ({ model }: ChatContext): boolean => model.startsWith('deepseek-');

/** DeepSeek's own fields; its models are judged by the same rules otherwise. */
const deepSeek: Dialect = { extra: ['thinking', 'messages.reasoning_content', 'messages.prefix'] };

export function chatContext(
  request: JudgedRequest,
  body: Fields,
  dialect: Dialect,
  refuseUnknownMessageFields: boolean,
): ChatContext {
  const model = text(body.model) ?? '';
  const own = model.startsWith('deepseek-') ? (deepSeek.extra ?? []) : [];
  return {
    request,
    body,
    model,
    messages: [...eachFields(body.messages)],
    dialect: { ...dialect, extra: [...(dialect.extra ?? []), ...own] },
    refuseUnknownMessageFields,
  };
}
