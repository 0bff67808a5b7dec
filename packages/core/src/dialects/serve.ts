import type { JsonObject } from '../json/index.ts';

/**
 * The other side of a protocol: what whoever records, replays or serves it needs. Those who only ask models do not load it.
 */
export interface DialectServe {
  readonly id: string;
  /** The id that a response names itself by, in a whole answer or in an event of a stream. */
  responseId(answer: JsonObject): unknown;
  /** What a request goes on from, where the API keeps histories. Absent where it keeps none. */
  readonly kept?: KeptHistories;
  /** An error as the API writes it: SDKs show its text, and act on its kind. */
  errorBody(error: ServedError): JsonObject;
}

/** Responses that an API keeps, so that later requests and polls name them. */
export interface KeptHistories {
  /** From the members of a request that are no parameters: the response or the conversation that it goes on from. */
  previous(rest: Readonly<Record<string, unknown>>): { readonly response: unknown; readonly conversation: unknown };
  /** The id of what a message of a request stands for, where it is sent by its id alone. */
  refersTo(message: JsonObject): unknown;
  /** Whether the answer says that its reply comes later. */
  isPending(envelope: JsonObject): boolean;
}

export interface ServedError {
  readonly status: number;
  /** For programs, where the API has such words. */
  readonly code: string;
  readonly message: string;
}
