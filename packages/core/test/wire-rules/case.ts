/** A history in an API's own words that breaks one of its rules when it is sent as it stands. */

import type { Message, Origin, WriteRequest, WrittenRequest } from '@skein/core';
import { writeRequest } from '@skein/core';
import type { JudgedRequest, Verdict } from '@skein/emulator';
import { type Api, judgeFor, newest } from '../matrix/apis.ts';

export interface Case {
  /** Raw texts of the messages. */
  readonly history: readonly string[];
  /** Default: the newest model. */
  readonly model?: string;
  /** Where the messages come from; default: the home provider. */
  readonly origin?: Partial<Origin>;
  readonly options?: Partial<WriteRequest>;
  /** Further top-level members, for both requests. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Top-level members of the careless request alone, where core writes them from parameters. */
  readonly carelessMembers?: Readonly<Record<string, unknown>>;
  readonly judged?: Partial<JudgedRequest>;
  /** What a careless client would send, where that is not the raw texts as they are. */
  readonly careless?: readonly string[];
}

/** A case, or why no history can break the rule. */
export type Table = Readonly<Record<string, Case | string>>;

/** Someone else who speaks the same protocol. */
export const GATEWAY: Partial<Origin> = { issuer: 'gateway.example' };

const LISTS: Readonly<Record<Api['id'], string>> = {
  'anthropic-messages': 'messages',
  'bedrock-converse': 'messages',
  'cohere-chat': 'messages',
  'google-generatecontent': 'contents',
  'google-interactions': 'input',
  'openai-chat': 'messages',
  'openai-responses': 'input',
};

/** The history in a request as it is stored. */
export function sentAsStored(api: Api, given: Case): string {
  const { history, careless = history, model = newest(api) } = given;
  const required = { ...(!api.isInPath && { model }), ...(api.id === 'anthropic-messages' && { max_tokens: 2048 }) };
  const head = { ...required, ...given.extra, ...given.carelessMembers };
  const list = careless.map((raw) => (raw.startsWith('[') ? raw.slice(1, -1) : raw)).join(',');
  const members = [JSON.stringify(head).slice(1, -1), `"${LISTS[api.id]}":[${list}]`].filter(Boolean);
  return `{${members.join(',')}}`;
}

const messagesOf = (api: Api, { history, origin }: Case): Message[] =>
  history.map((raw) => api.dialect.parseMessage(raw, origin));

/** The history in a request that core wrote. */
export function written(api: Api, given: Case): { readonly messages: Message[]; readonly request: WrittenRequest } {
  const { model = newest(api), options, extra } = given;
  const messages = messagesOf(api, given);
  const request = writeRequest(api.dialect, {
    params: { maxTokens: 2048 },
    ...(extra && { extra: { ...extra } }),
    ...options,
    model,
    messages,
  });
  return { messages, request };
}

export function judged(api: Api, body: string, { model = newest(api), judged }: Case): Verdict {
  return judgeFor(api, model, body, undefined, judged);
}
