/** Whatever calls when there may be changes. */
interface Watched {
  watch(listener: () => void): () => void;
}

/** The next time that someone calls, or so many milliseconds from now where nobody does, or the signal is given. */
export function nextChange(
  watched: Watched,
  pollMs: number,
  signal?: AbortSignal,
): { readonly promise: Promise<void>; cancel(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const timer = setTimeout(resolve, pollMs);
  const unwatch = watched.watch(resolve);
  signal?.addEventListener('abort', resolve, { once: true });
  return {
    promise,
    cancel() {
      clearTimeout(timer);
      unwatch();
      signal?.removeEventListener('abort', resolve);
    },
  };
}
