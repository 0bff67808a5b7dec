import type { PackedBytes } from '../model/records.ts';
import type { Store } from '../store/index.ts';
import type { ExchangeTexts } from './exchange.ts';

/** How many characters are kept of one exchange, and of all that are not placed yet. */
const MOST_OF_ONE = 2 ** 21;
const MOST_OF_ALL = 2 ** 23;

/** What a recording hands over while it is stored; the exchange is kept only if all of it is text. */
export interface CollectedTexts {
  request(packed: PackedBytes): void;
  /** The next part of what the model answered: of a gateway, what the provider sent. */
  response(packed: PackedBytes): void;
  /** The response begins again. */
  restart(): void;
  /** Everything was handed to the store. */
  done(): void;
  /** The store does not have what was handed over. */
  drop(): void;
}

/**
 * The texts of exchanges that this process has just stored, until they are placed in the tree. They are the same as the
 * stored ones, but need not be found, read and parsed again. Exchanges that are missing here are read from the store.
 */
export class RecentTexts {
  readonly #texts = new Map<string, ExchangeTexts>();
  #size = 0;

  collect(id: string): CollectedTexts {
    let request = '';
    let pieces: string[] | undefined = [];
    let size = 0;
    const add = (packed: PackedBytes, use: (text: string) => void) => {
      size += 'text' in packed ? packed.text.length : Number.POSITIVE_INFINITY;
      if ('text' in packed && size <= MOST_OF_ONE) use(packed.text);
      else pieces = undefined;
    };
    return {
      request: (packed) =>
        add(packed, (text) => {
          request = text;
        }),
      response: (packed) => add(packed, (text) => pieces?.push(text)),
      restart: () => {
        pieces &&= [];
      },
      done: () => {
        if (pieces) this.#keep(id, { request, response: pieces.join('') });
        pieces = undefined;
      },
      drop: () => {
        pieces = undefined;
        this.take(id);
      },
    };
  }

  /** The texts of an exchange, which are forgotten with this; undefined if they are not here. */
  take(id: string): ExchangeTexts | undefined {
    const texts = this.#texts.get(id);
    if (!texts) return undefined;
    this.#texts.delete(id);
    this.#size -= texts.request.length + texts.response.length;
    return texts;
  }

  #keep(id: string, texts: ExchangeTexts): void {
    this.#texts.set(id, texts);
    this.#size += texts.request.length + texts.response.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#size <= MOST_OF_ALL) break;
      this.take(oldest);
    }
  }
}

const all = new WeakMap<Store, RecentTexts>();

/** Those of a store. All its recorders in this process and the projection share them. */
export function recentTexts(store: Store): RecentTexts {
  const there = all.get(store);
  if (there) return there;
  const made = new RecentTexts();
  all.set(store, made);
  return made;
}
