import { find } from '../../json/index.ts';

/** How many events in a row may differ before it is no longer worth comparing them. */
const PATIENCE = 8;

/** OpenAI ends each event with as much noise as hides how long its delta is. */
const PADDING = ',"obfuscation":"';

/**
 * Most events of a stream differ in nothing but the delta. Once the text around a delta is known, the next event with
 * the same text around one JSON value can only be that value in the same place: it alone has to be parsed, which makes
 * a stream half as dear to read.
 */
export class DeltaFrame {
  isPadded = false;
  #before = '';
  #after = '';
  #misses = 0;

  /** The text in place of the delta, where all around it but the padding is as in the event last learned; else none. */
  between(data: string): string {
    const start = this.#before.length;
    const close = this.isPadded ? paddingStart(data) : data.length;
    const end = close - this.#after.length;
    // Comparing whole strings is many times faster than `startsWith`, which goes character by character.
    if (start === 0 || end <= start || data.slice(end, close) !== this.#after || data.slice(0, start) !== this.#before)
      return '';
    this.#misses = 0;
    return data.slice(start, end);
  }

  /** Takes what is around the delta of an event's first choice; nothing where it must not be taken for said again. */
  learn(data: string, isRepeatable: boolean): void {
    const delta = isRepeatable && this.#misses++ < PATIENCE ? find(data, ['choices', 0, 'delta']) : undefined;
    const padding = paddingStart(data);
    this.isPadded = padding > 0;
    this.#before = delta ? data.slice(0, delta.start) : '';
    this.#after = delta ? data.slice(delta.end, this.isPadded ? padding : undefined) : '';
  }
}

/** Where the padding begins that ends an event, one plain string and the closing brace; 0 where there is none. */
function paddingStart(data: string): number {
  const start = data.lastIndexOf(PADDING);
  return start > 0 && /^[^"\\]*"\}$/.test(data.slice(start + PADDING.length)) ? start : 0;
}
