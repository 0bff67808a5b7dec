/** One after the other, in the order in which they came. */
export class Queue {
  #last: Promise<void> = Promise.resolve();

  /** Waits for its turn; the function it gives ends that. */
  async enter(): Promise<() => void> {
    const before = this.#last;
    let leave = () => {};
    this.#last = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    return leave;
  }
}
