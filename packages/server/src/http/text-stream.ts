/**
 * Texts as the body of a response. The first one is there already: an error before it still becomes a status.
 */
export function textStream(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
  change: (text: string) => string = (text) => text,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string> | undefined = first;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = next ?? (await rest.next());
      next = undefined;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(change(value)));
    },
    async cancel() {
      await rest.return(undefined);
    },
  });
}
