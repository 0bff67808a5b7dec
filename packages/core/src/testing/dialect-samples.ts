/** What a protocol must show for its dialect to be checked. All of it is written by hand, in the protocol's own words. */
export interface DialectSamples {
  /** A response whose message has text. */
  readonly reply: string;
  /** The same reply as server-sent events, with the end that the protocol has. */
  readonly stream: readonly (readonly [event: string | undefined, data: string])[];
  /** A response whose message calls one tool. */
  readonly toolCall: string;
  /** A request with a user message. */
  readonly request: string;
  /** Response text that is valid JSON, but not this protocol. */
  readonly notThisProtocol: string;
}
