/** A conversation as it happens: each reply answers a request that was written, judged and accepted. */

import type { Message, ProviderDescriptor, WriteRequest, WrittenRequest } from '@skein/core';
import { writeRequest } from '@skein/core';
import type { Verdict } from '@skein/emulator';
import { type Api, judgeFor, newest } from './apis.ts';
import { Issuer } from './issuer.ts';
import { responseBody, type Said } from './said.ts';

export interface Target {
  readonly api: Api;
  readonly model?: string;
  /** Default: the home provider. */
  readonly provider?: ProviderDescriptor;
}

export interface Sent extends WrittenRequest {
  readonly verdict: Verdict;
}

type Options = Partial<Omit<WriteRequest, 'model' | 'messages' | 'provider'>>;

export class Talk {
  readonly messages: Message[] = [];
  readonly #issuers = new Map<string, Issuer>();
  #turn = 0;

  /** Adds what people and tools say. */
  say(...messages: readonly Message[]): this {
    this.messages.push(...messages);
    return this;
  }

  /** Writes the conversation so far, without sending it. */
  write(target: Target, options: Options = {}, messages: readonly Message[] = this.messages): Sent {
    const { api, provider, model = newest(api) } = target;
    const request = {
      params: { maxTokens: 2048 },
      ...api.always,
      ...options,
      model,
      messages,
      ...(provider && { provider }),
    };
    const written = writeRequest(api.dialect, request);
    return { ...written, verdict: judgeFor(api, model, written.body, this.#issuerOf(target)) };
  }

  /** The next reply of that provider. */
  answer(target: Target, said: Said, options: Options = {}): Message {
    const { api, provider = api.dialect.home, model = newest(api) } = target;
    const sent = this.write(target, options);
    const { refusal } = sent.verdict;
    // The judges know the home providers only.
    if (refusal && !target.provider) throw new Error(`${refusal.rule}: ${refusal.message}\n${sent.body}`);
    const reply = api.dialect.readResponse(responseBody(api, model, said, this.#turn++), {
      issuer: provider.issuer,
      model,
      prefix: sent.manifest.prefix,
      ...(options.account !== undefined && { account: options.account }),
    }).message;
    this.#issuerOf(target).remember(reply, sent.body);
    this.messages.push(reply);
    return reply;
  }

  #issuerOf({ api, provider = api.dialect.home }: Target): Issuer {
    const known = this.#issuers.get(provider.issuer + api.id) ?? new Issuer();
    this.#issuers.set(provider.issuer + api.id, known);
    return known;
  }
}
