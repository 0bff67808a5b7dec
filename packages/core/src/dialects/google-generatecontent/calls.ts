import { isObject } from '../../json/index.ts';
import type { Part } from './content.ts';
import { field, fieldMember, fieldText, objectField, stringField } from './fields.ts';
import { PartialArguments } from './partial-args.ts';

/** A call, which a stream may have brought in several parts. */
export interface Call {
  /** Indexes of its parts; the first has its name. */
  readonly parts: readonly number[];
  readonly id: string | undefined;
  readonly name: string;
  /** The exact text of the arguments; `{}` where there are none. */
  readonly args: string;
  /** Its arguments came in pieces (`partialArgs`), which no request takes. */
  readonly inPieces: boolean;
  /** More of it was announced and never came. */
  readonly cut: boolean;
}

/**
 * The calls in the parts of a content. A call with `willContinue` goes on in the following calls without a name, up
 * to and with the first that does not continue.
 */
export function callsIn(raw: string, parts: readonly Part[]): readonly Call[] {
  const calls: Call[] = [];
  let open: OpenCall | undefined;
  for (const [index, part] of parts.entries()) {
    const value = isObject(part.value) ? objectField(part.value, 'functionCall') : undefined;
    if (!value) continue;
    const text = fieldText(raw, part.start, 'functionCall')!;
    const name = stringField(value, 'name') ?? '';
    if (name !== '') {
      if (open) calls.push(open.call());
      open = new OpenCall(stringField(value, 'id'), name, fieldText(text, 0, 'args'));
    }
    if (!open) continue;
    const more = field(value, 'willContinue') === true;
    open.add(index, field(value, 'partialArgs'), text, more);
    if (more) continue;
    calls.push(open.call());
    open = undefined;
  }
  if (open) calls.push(open.call());
  return calls;
}

class OpenCall {
  readonly #id: string | undefined;
  readonly #name: string;
  readonly #args: string | undefined;
  readonly #parts: number[] = [];
  #pieces: PartialArguments | undefined;
  #cut = false;

  constructor(id: string | undefined, name: string, args: string | undefined) {
    this.#id = id === '' ? undefined : id;
    this.#name = name;
    this.#args = args;
  }

  add(index: number, partial: unknown, text: string, more: boolean): void {
    this.#parts.push(index);
    this.#cut = more;
    if (more) this.#pieces ??= new PartialArguments();
    const list = Array.isArray(partial) ? fieldMember(text, 0, 'partialArgs') : undefined;
    if (!list) return;
    this.#pieces ??= new PartialArguments();
    this.#pieces.add(partial as unknown[], text.slice(list.start, list.end));
  }

  call(): Call {
    const args = this.#args ?? this.#pieces?.text() ?? '{}';
    const inPieces = this.#pieces !== undefined;
    return { parts: this.#parts, id: this.#id, name: this.#name, args, inPieces, cut: this.#cut };
  }
}
