import { elementTexts } from '../../json/index.ts';
import { field, fieldText, stringField } from './fields.ts';
import { joinedArguments } from './partial-args.ts';

/** A call, which a stream may have brought in several parts. */
export interface Call {
  readonly id: string | undefined;
  readonly name: string;
  /** Indexes of its parts; the first has its name. */
  readonly parts: number[];
  /** The text of its arguments, if they came whole. */
  readonly given: string | undefined;
  /** Its arguments as they came in pieces (`partialArgs`), which no request takes. */
  pieces: string[] | undefined;
  /** More of it was announced and did not come yet. */
  isOpen: boolean;
}

/** The text of the arguments; not closed while more of them is to come. */
export function argsOf({ given, pieces, isOpen }: Call): string {
  const text = given ?? joinedArguments(pieces ?? []);
  return isOpen ? text.slice(0, -1) : text;
}

/**
 * Adds a part to the calls before it and returns the call that it begins or continues. A call with `willContinue`
 * goes on in the following calls without a name, up to and with the first that does not continue.
 */
export function addCall(calls: Call[], index: number, part: unknown, text: string): Call | undefined {
  const value = field(part, 'functionCall');
  const native = fieldText(text, part, 'functionCall');
  if (native === undefined) return undefined;
  const name = stringField(value, 'name');
  if (name) {
    const id = stringField(value, 'id') || undefined;
    const given = fieldText(native, value, 'args');
    calls.push({ id, name, parts: [], given, pieces: undefined, isOpen: true });
  }
  const call = calls.at(-1);
  if (!call?.isOpen) return undefined;
  call.parts.push(index);
  call.isOpen = field(value, 'willContinue') === true;
  const partial = fieldText(native, value, 'partialArgs');
  const isPartial = partial?.startsWith('[');
  if (call.isOpen || isPartial) call.pieces ??= [];
  if (isPartial) for (const piece of elementTexts(partial!)) call.pieces!.push(piece);
  return call;
}
