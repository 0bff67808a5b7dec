import type { RequestParams, Usage } from '../dialects/index.ts';
import type { ProviderErrorCode, SkeinErrorCode } from '../error.ts';
import type { Message } from '../message/index.ts';
import type { Outcome } from './tools/prepare.ts';
import type { Notice, RunResult, RunStop } from './types.ts';

/**
 * What an observer sees. `run` tells runs of this process apart; 0 is what happens before one. Bodies, texts and messages are there only where
 * `observePayloads` asks for them.
 */
export type Observed = { readonly run: number; readonly at: number } & Happening;

export type Happening =
  | {
      readonly type: 'request';
      readonly step: number;
      readonly provider: string;
      readonly model: string;
      readonly params: RequestParams;
      readonly body?: string;
    }
  | { readonly type: 'first-event'; readonly step: number; readonly ms: number }
  | {
      readonly type: 'response';
      readonly step: number;
      readonly provider: string;
      readonly model: string;
      /** As the reply names it. */
      readonly replyModel: string | undefined;
      readonly requestId: string | undefined;
      readonly stop: RunStop;
      readonly usage: Usage | undefined;
      readonly estimated: boolean;
      readonly cost: number | undefined;
      readonly durationMs: number;
      readonly message?: Message;
      readonly envelope?: string;
    }
  | {
      readonly type: 'request-failed';
      readonly step: number;
      readonly provider: string;
      readonly model: string;
      readonly code: ProviderErrorCode | 'failed';
      readonly status: number | undefined;
      readonly requestId: string | undefined;
      readonly error?: unknown;
    }
  | { readonly type: 'tool-start'; readonly callId: string; readonly name: string; readonly arguments?: string }
  | {
      readonly type: 'tool-end';
      readonly callId: string;
      readonly name: string;
      readonly outcome: Outcome;
      readonly durationMs: number;
      readonly message?: Message;
    }
  | { readonly type: 'approval'; readonly callId: string; readonly name: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly code: ProviderErrorCode }
  | { readonly type: 'notice'; readonly code: Notice['code']; readonly notice?: Notice }
  | {
      readonly type: 'finish';
      readonly stop: RunStop;
      readonly usage: Usage | undefined;
      readonly cost: number | undefined;
      readonly steps: number;
      readonly result?: RunResult;
    }
  | { readonly type: 'failed'; readonly code: SkeinErrorCode; readonly error?: unknown };

/** Members of happenings that are payload. */
const PAYLOAD = new Set(['body', 'message', 'envelope', 'error', 'arguments', 'notice', 'result']);

/** What is told without asking. */
export function withoutPayload(happening: Happening): Happening {
  return Object.fromEntries(Object.entries(happening).filter(([name]) => !PAYLOAD.has(name))) as Happening;
}
