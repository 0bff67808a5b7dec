import { type PackedBytes, utf8Bytes } from '../model/records.ts';
import type { Store } from '../store/index.ts';
import type { ExchangeTexts } from './exchange.ts';

/** How many characters or bytes are kept of one exchange, and of all that are not placed yet. */
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
    let pieces: (string | Uint8Array)[] | undefined = [];
    let size = 0;
    const add = <T extends string | Uint8Array>(given: T, use: (given: T) => void) => {
      size += given.length;
      if (size <= MOST_OF_ONE) use(given);
      else pieces = undefined;
    };
    return {
      request(packed) {
        if ('text' in packed)
          add(packed.text, (text) => {
            request = text;
          });
        else pieces = undefined;
      },
      response(packed) {
        if ('text' in packed) add(utf8Bytes(packed) ?? packed.text, (piece) => pieces?.push(piece));
        else pieces = undefined;
      },
      restart: () => {
        pieces &&= [];
      },
      done: () => {
        if (pieces) this.#keep(id, { request, response: joined(pieces) });
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

/** Bytes that are not decoded yet stay bytes. */
function joined(pieces: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  const [first, ...others] = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  return others.length === 0 ? first! : Buffer.concat([first!, ...others]);
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
