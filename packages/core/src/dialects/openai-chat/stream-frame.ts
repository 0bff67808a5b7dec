import { find } from '../../json/index.ts';

/** How many events in a row may differ before it is no longer worth comparing them. */
const PATIENCE = 8;

/**
 * Most events of a stream differ in nothing but the delta. Once the text around a delta is known, the next event with
 * the same text around one JSON value can only be that value in the same place: it alone has to be parsed.
 */
export class DeltaFrame {
  #before = '';
  #after = '';
  #misses = 0;

  /** The text in place of the delta, if everything around it is as in the event last learned. */
  between(data: string): string | undefined {
    const end = data.length - this.#after.length;
    if (this.#before === '' || end <= this.#before.length) return undefined;
    // Comparing whole strings is many times faster than `startsWith`, which goes character by character.
    if (data.slice(end) !== this.#after || data.slice(0, this.#before.length) !== this.#before) return undefined;
    this.#misses = 0;
    return data.slice(this.#before.length, end);
  }

  /** Takes the frame of an event with one choice. */
  learn(data: string): void {
    this.#misses++;
    const delta = this.#misses > PATIENCE ? undefined : find(data, ['choices', 0, 'delta']);
    this.#before = delta ? data.slice(0, delta.start) : '';
    this.#after = delta ? data.slice(delta.end) : '';
  }

  /** For an event that says something around its delta which must not be taken for said again. */
  forget(): void {
    this.#before = '';
  }
}
