/** Told of an exchange while it passes. None of it throws or waits. */
export interface Watch {
  request(bytes: Uint8Array): void;
  requestEnd(): void;
  head(status: number, headers: ReadonlyMap<string, string>): void;
  push(bytes: Uint8Array): void;
  end(outcome: 'done' | 'cut' | 'failed', error?: unknown): void;
}

/** Looks away. */
export const noWatch: Watch = {
  request: () => undefined,
  requestEnd: () => undefined,
  head: () => undefined,
  push: () => undefined,
  end: () => undefined,
};
