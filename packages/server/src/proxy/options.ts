/** How the recording proxy works where a request does not say it. */
export interface ProxyOptions {
  /** `record`: pass on and write down (default); `replay`: answer from recordings; `pass`: only pass on. */
  readonly mode?: 'record' | 'replay' | 'pass';
  /** A replay without a recording: an error in the provider's own form (default), or on to the provider. */
  readonly onMiss?: 'refuse' | 'pass';
  /** Sign requests without a key with the server's. Whoever may use the proxy then spends the server's money. */
  readonly useServerKeys?: boolean;
}
