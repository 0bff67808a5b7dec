import {
  type Dialect,
  dialect,
  type Message,
  type Origin,
  type RequestParams,
  type RequestParts,
  type ToolDefinition,
} from '@skein/core';
import { serving } from '@skein/core/dialect';
import type { Exchange } from './exchange.ts';
import { type Hints, hintsKey } from './hints.ts';
import { type Answer, readAnswer } from './read-answer.ts';

/** What an exchange means, before it has a place in the tree. */
export type Reading = Turn | Poll | Nothing;

/** A history and what a model said to it. */
export interface Turn {
  readonly kind: 'turn';
  readonly exchange: Exchange;
  readonly system: Message | undefined;
  readonly messages: readonly Message[];
  readonly params: RequestParams;
  readonly model: string | undefined;
  /** What it goes on from, on the API's side. */
  readonly previous: string | undefined;
  readonly conversation: string | undefined;
  readonly answer: Answer;
  readonly tools: readonly ToolDefinition[];
  /** The system texts of the request, from wherever they stand at its front. */
  readonly lead: readonly Message[];
  readonly hints: Hints;
  /** Equal hints have equal keys. */
  readonly hintsKey: string;
}

/** News of a response that was asked for in another exchange. */
export interface Poll {
  readonly kind: 'poll';
  readonly exchange: Exchange;
  readonly responseId: string;
  readonly answer: Answer;
}

/** Nothing that belongs into a tree, and why. */
interface Nothing {
  readonly kind: 'nothing';
  readonly exchange: Exchange;
  readonly why: string;
}

/** A pure function of what is stored; it never throws. */
export function readExchange(exchange: Exchange, request: string, response: string): Reading {
  const nothing = (why: string): Nothing => ({ kind: 'nothing', exchange, why });
  if (exchange.kind === 'other' || exchange.dialect === undefined) return nothing('no model was asked');
  if (exchange.outcome === 'refused') return nothing(`the API answered ${exchange.status}`);
  if (response.trim() === '') return nothing(exchange.error ?? 'there was no answer');
  try {
    const spoken = dialect(exchange.dialect);
    const origin: Partial<Origin> = { issuer: exchange.issuer ?? spoken.home.issuer };
    if (exchange.kind === 'poll') {
      const answer = readAnswer(spoken, response, origin);
      return { kind: 'poll', exchange, responseId: exchange.responseId ?? answer.responseId ?? '', answer };
    }
    const { system, tools, messages, params, rest, model = exchange.model } = spoken.readRequest(request, origin);
    const answer = readAnswer(spoken, response, { ...origin, ...(model !== undefined && { model }) });
    const { previous, conversation } = references(spoken, rest);
    const isKept = previous !== undefined || conversation !== undefined;
    const lead = [...(system ? [system] : []), ...(isKept ? [] : leadingSystem(messages))];
    const hints = exchange.hints ?? {};
    return {
      kind: 'turn',
      exchange,
      system,
      messages,
      params,
      model,
      previous,
      conversation,
      answer,
      tools,
      lead,
      hints,
      hintsKey: hintsKey(hints),
    };
  } catch (error) {
    return nothing(error instanceof Error ? error.message : String(error));
  }
}

function leadingSystem(messages: readonly Message[]): readonly Message[] {
  const end = messages.findIndex(({ role }) => role !== 'system');
  return end < 0 ? messages : messages.slice(0, end);
}

/** What a request goes on from, where the API keeps histories. */
function references(spoken: Dialect, rest: RequestParts['rest']) {
  const { kept } = serving(spoken);
  if (!kept) return { previous: undefined, conversation: undefined };
  const values = Object.fromEntries(Object.entries(rest).map(([name, text]) => [name, parsed(text)]));
  const { response, conversation } = kept.previous(values);
  return { previous: textOf(response), conversation: textOf(conversation) };
}

function parsed(text: string): unknown {
  return JSON.parse(text);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
