import { find } from '../../json/index.ts';

/** How many events in a row may differ before it is no longer worth comparing them. */
const PATIENCE = 8;

/** OpenAI ends each event with as much noise as hides how long its delta is. */
const PADDING = ',"obfuscation":"';

/**
 * Most events of a stream differ in nothing but the delta. Once the text around a delta is known, the next event with
 * the same text around one JSON value can only be that value in the same place: it alone has to be parsed.
 */
export class DeltaFrame {
  #before = '';
  #after = '';
  #padded = false;
  #misses = 0;

  /** Whether the events of this frame end with padding, which is new in each of them. */
  get padded(): boolean {
    return this.#padded;
  }

  /** The text in place of the delta, if everything around it is as in the event last learned, padding aside. */
  between(data: string): string | undefined {
    if (this.#before === '') return undefined;
    const close = this.#padded ? paddingStart(data) : data.length;
    const end = close - this.#after.length;
    if (end <= this.#before.length) return undefined;
    // Comparing whole strings is many times faster than `startsWith`, which goes character by character.
    if (data.slice(end, close) !== this.#after || data.slice(0, this.#before.length) !== this.#before) return undefined;
    this.#misses = 0;
    return data.slice(this.#before.length, end);
  }

  /** Takes the frame of an event with one choice. */
  learn(data: string): void {
    this.#misses++;
    const delta = this.#misses > PATIENCE ? undefined : find(data, ['choices', 0, 'delta']);
    const padding = paddingStart(data);
    this.#padded = delta !== undefined && padding >= delta.end;
    this.#before = delta ? data.slice(0, delta.start) : '';
    this.#after = delta ? data.slice(delta.end, this.#padded ? padding : undefined) : '';
  }

  /** For an event that says something around its delta which must not be taken for said again. */
  forget(): void {
    this.#before = '';
  }
}

/** Where the padding begins that ends an event, or -1: one plain string, and nothing but the closing brace behind it. */
function paddingStart(data: string): number {
  const start = data.lastIndexOf(PADDING);
  if (start < 0 || !data.endsWith('"}')) return -1;
  const quote = data.indexOf('"', start + PADDING.length);
  return quote === data.length - 2 && data.indexOf('\\', start) < 0 ? start : -1;
}
