import type { Clock } from '../model/clock.ts';
import { type EntryRecord, type PackedBytes, utf8Bytes } from '../model/records.ts';
import { mayHaveSecrets, removeSecrets } from '../model/secrets.ts';
import { readUrl, safeHeaders } from './describe-request.ts';
import { type UpstreamSide, upstreamRequestPart, upstreamResponsePart } from './exchange.ts';
import type { CollectedTexts } from './recent-texts.ts';
import type { HeaderPairs } from './recorder.ts';
import { createResponseBuffer } from './response-buffer.ts';

/** A request that a gateway sends to a provider. */
export type UpstreamRequest = Omit<UpstreamSide, 'host' | 'path' | 'attempt' | 'status' | 'responseHeaders'> & {
  readonly url: string;
  readonly body: string;
};

/** The provider's side of an exchange, as far as it has come. */
export class UpstreamRecording {
  readonly #id: string;
  readonly #clock: Clock;
  side: UpstreamSide | undefined;
  #body: string | undefined;
  #buffer = createResponseBuffer();
  #attempt = 0;
  #count = 0;
  #isChanged = false;

  constructor(id: string, clock: Clock) {
    this.#id = id;
    this.#clock = clock;
  }

  begin({ url, body, ...request }: UpstreamRequest): void {
    const { host, pathname } = readUrl(url);
    this.#attempt += 1;
    this.#count = 0;
    this.#buffer = createResponseBuffer();
    this.#body = body;
    this.side = { ...request, host, path: pathname, attempt: this.#attempt };
    this.#isChanged = true;
  }

  head(status: number, headers: HeaderPairs): void {
    this.#change({ status, responseHeaders: safeHeaders(headers) });
  }

  /** Returns how many bytes wait to be stored. */
  push(bytes: Uint8Array): number {
    this.#buffer.push(bytes, bytes.length);
    return this.#buffer.size;
  }

  lose(losses: UpstreamSide['losses']): void {
    if (this.side && losses.length > 0) this.#change({ losses: [...this.side.losses, ...losses] });
  }

  /** The parts that are not stored yet, and whether the exchange itself says something new. */
  news(
    secrets: readonly string[],
    isEnd: boolean,
    texts: Pick<CollectedTexts, 'response'>,
  ): { readonly parts: readonly EntryRecord[]; readonly isChanged: boolean } {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    const parts: EntryRecord[] = [];
    if (!this.side) return { parts, isChanged };
    if (this.#body !== undefined) {
      const sent = withoutSecrets({ text: this.#body.toWellFormed() }, secrets);
      parts.push(upstreamRequestPart(this.#id, this.#attempt, sent, this.#clock.tick()));
    }
    this.#body = undefined;
    const taken = this.#buffer.take(isEnd);
    const packed = taken && withoutSecrets(taken, secrets);
    if (packed) {
      texts.response(packed);
      parts.push(upstreamResponsePart(this.#id, this.#attempt, this.#count++, packed, this.#clock.tick()));
    }
    return { parts, isChanged };
  }

  #change(more: Partial<UpstreamSide>): void {
    if (!this.side) return;
    this.side = { ...this.side, ...more };
    this.#isChanged = true;
  }
}

/** The same bytes if they have no secret. Those that are not text are kept as they are. */
export function withoutSecrets(packed: PackedBytes, secrets: readonly string[]): PackedBytes {
  if (!('text' in packed)) return packed;
  const bytes = utf8Bytes(packed);
  if (bytes && !mayHaveSecrets(bytes, secrets)) return packed;
  const given = packed.text;
  const text = removeSecrets(given, secrets);
  return text === given ? packed : { text };
}
