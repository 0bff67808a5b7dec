import type { Protocol } from '../protocol.ts';
import { judgeAnthropicMessages } from '../rules/anthropic-messages/judge.ts';
import { judgeGoogleGenerateContent } from '../rules/google-generatecontent/judge.ts';
import type { Dialect } from '../rules/openai/dialect.ts';
import { createOpenAIChatJudge } from '../rules/openai-chat/judge.ts';
import { createOpenAIResponsesJudge } from '../rules/openai-responses/judge.ts';
import type { Judge, Settings } from '../rules/verdict.ts';

export interface EmulatorSettings extends Settings {
  /** Chat: refuse unknown fields of messages, as Groq does, instead of warning of them. */
  readonly refuseUnknownMessageFields?: boolean;
}

/** How a compatible provider under a path of its own departs from OpenAI's API. */
export interface Issuer extends Dialect {
  readonly refuseUnknownMessageFields?: boolean;
}

export function judgeFor(protocol: Protocol, settings: EmulatorSettings, issuer: Issuer = {}): Judge {
  switch (protocol) {
    case 'anthropic-messages':
      return judgeAnthropicMessages;
    case 'google-generatecontent':
      return judgeGoogleGenerateContent;
    case 'openai-chat': {
      const strict = issuer.refuseUnknownMessageFields ?? settings.refuseUnknownMessageFields ?? false;
      return createOpenAIChatJudge({ ...issuer, refuseUnknownMessageFields: strict });
    }
    case 'openai-responses':
      return createOpenAIResponsesJudge(issuer);
  }
}
