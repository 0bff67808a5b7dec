import { field, fieldText, stringField } from './fields.ts';
import { PartialArguments } from './partial-args.ts';

/** A call, which a stream may have brought in several parts. */
export class Call {
  readonly id: string | undefined;
  readonly name: string;
  /** Indexes of its parts; the first has its name. */
  readonly parts: number[] = [];
  /** More of it was announced and did not come yet. */
  isOpen = false;
  #args: string | undefined;
  #pieces: PartialArguments | undefined;

  constructor(id: string | undefined, name: string) {
    this.id = id;
    this.name = name;
  }

  /** Its arguments came in pieces (`partialArgs`), which no request takes. */
  get inPieces(): boolean {
    return this.#pieces !== undefined;
  }

  /** The text of the arguments; not closed while more of them is to come. */
  get args(): string {
    const text = this.#args ?? this.#pieces?.text() ?? '{}';
    return this.isOpen ? text.slice(0, -1) : text;
  }

  add(index: number, part: unknown, text: string): void {
    this.parts.push(index);
    this.isOpen = field(part, 'functionCall', 'willContinue') === true;
    this.#args ??= fieldText(text, part, 'functionCall', 'args');
    const isPartial = Array.isArray(field(part, 'functionCall', 'partialArgs'));
    if (this.isOpen || isPartial) this.#pieces ??= new PartialArguments();
    if (isPartial) this.#pieces?.add(fieldText(text, part, 'functionCall', 'partialArgs')!);
  }
}

/**
 * The calls in a list of parts. A call with `willContinue` goes on in the following calls without a name, up to and
 * with the first that does not continue.
 */
export class Calls {
  readonly list: Call[] = [];

  /** The call that a part begins or continues. */
  add(index: number, part: unknown, text: string): Call | undefined {
    if (field(part, 'functionCall') === undefined) return undefined;
    const name = stringField(part, 'functionCall', 'name');
    if (name) this.list.push(new Call(stringField(part, 'functionCall', 'id') || undefined, name));
    const call = this.list.at(-1);
    if (!call || !(name || call.isOpen)) return undefined;
    call.add(index, part, text);
    return call;
  }
}
