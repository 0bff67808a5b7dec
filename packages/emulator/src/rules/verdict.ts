/** One request as it reached a provider, in the form the rules look at. */
export interface JudgedRequest {
  /** The exact body text. */
  readonly body: string;
  /** Lower-case header names. Rules about headers are skipped when this is absent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For APIs that name the model in the path. */
  readonly model?: string;
  /** What the provider issued earlier; rules about signatures and stored items are skipped when this is absent. */
  readonly memory?: Memory;
  readonly settings?: Settings;
}

/** What a provider can recognise as its own. Each method answers for one kind of opaque value. */
export interface Memory {
  /** An issued signature or ciphertext; undefined when it was never issued. */
  issued(value: string): Issued | undefined;
  /** A stored item or response by its id (`store: true`). */
  stored(id: string): boolean;
  /**
   * A field that this provider itself put into a reply, so that its closed schema lets it back in. A type of block, item
   * or part that it made up is asked for as `:type`.
   */
  ownField(path: string): boolean;
}

export interface Issued {
  /** Absent: it is taken for the work of any model. */
  readonly model?: string;
  /** The text that must come back unchanged beside the signature, where there is one. */
  readonly text?: string;
  /** `prefixDigest` of the request that led to it. */
  readonly prefix?: string;
}

export interface Settings {
  /** Bind thinking to the prefix before it, whatever the model. Default: by model. */
  readonly enforcePrefix?: boolean;
  /** Refuse fields that this provider issued itself, too. */
  readonly refuseOwnFields?: boolean;
}

export interface Refusal {
  /** `<protocol>.<id>` as in docs/wire-rules.md. */
  readonly rule: string;
  readonly status: number;
  readonly message: string;
  /** The JSON error body in the provider's own shape. */
  readonly body: string;
}

export interface Verdict {
  readonly refusal: Refusal | undefined;
  /** Rules that are unsure (docs/wire-rules.md, "Unsure"): broken, but not refused. */
  readonly warnings: readonly string[];
}

export type Judge = (request: JudgedRequest) => Verdict;
