/** Where a message came from: what decides to whom its exact text may be sent again. */
export interface Origin {
  /** The protocol its text is written in. */
  readonly dialect: string;
  /** Who can read its opaque parts: the API and deployment, not the name a user gave it. */
  readonly issuer: string;
  /** The model as the reply names it, or as it was asked for where the reply names none. */
  readonly model?: string;
  /** The name that was asked for, where the reply names the model otherwise. */
  readonly requestedModel?: string;
  /** Behind a router, the provider that wrote it. */
  readonly upstream?: string;
  readonly apiVersion?: string;
  /** An organisation or a name the user gave; never derived from a key. */
  readonly account?: string;
  /** `prefixHash` of the request that this message answered. */
  readonly prefix?: string;
  /** The stream that brought it ended early; its last block may be incomplete. */
  readonly cut?: true;
}

/** Where messages come from that a person or program wrote. */
export const BLOCKS_ORIGIN: Origin = /* @__PURE__ */ Object.freeze({ dialect: 'blocks', issuer: 'skein' });
