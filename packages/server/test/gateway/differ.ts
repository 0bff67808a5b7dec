/**
 * Finds what got lost on the way through a gateway without a word. It knows no protocol: whoever writes a request or a
 * reply marks each thing in it with a word or a number that stands nowhere else, and the differ looks for these marks on
 * the other side. What is not there has to be among the losses that the gateway reports.
 */
import { isObject, type Json } from './answer.ts';

/** A thing that must get through, a demand even without an excuse: where it stands, and how it is recognised on the other side. */
export interface Mark {
  readonly kind: 'content' | 'parameter' | 'demand' | 'reasoning' | 'opaque';
  /** The name of a parameter as the client writes it; what it is, otherwise. */
  readonly name: string;
  /** A word, or a number of which there is no second one. */
  readonly value: string | number;
}

/** A loss as the gateway reports it. */
export interface ReportedLoss {
  readonly kind: string;
  readonly path: string;
  readonly reason: string;
  readonly detail?: string;
  readonly message?: number;
}

/** The marks that one side has and the other has not, and that no reported loss accounts for. */
export function silentLosses(marks: readonly Mark[], other: string, reported: readonly ReportedLoss[]): string[] {
  const { text, flat, numbers } = readValues(other);
  const isThere = ({ value }: Mark): boolean =>
    typeof value === 'number' ? numbers.has(value) : text.includes(value) || flat.includes(value);
  const missing = marks.filter((mark) => !isThere(mark));
  const left = reported.filter(({ kind }) => kind !== 'synthesised');
  return missing
    .filter((mark) => {
      const found = left.findIndex((loss) => accountsFor(loss, mark));
      // A loss of a parameter is one parameter's; one of a message may be of several things in it.
      if (found >= 0 && mark.kind === 'parameter') left.splice(found, 1);
      return found < 0;
    })
    .map(({ kind, name, value }) => `${kind} ${name} (${value})`);
}

/** Marks that stand in another order on the other side. Only messages have one. */
export function misplaced(marks: readonly Mark[], other: string): string[] {
  const { text } = readValues(other);
  const places = marks
    .filter(({ kind, value }) => kind === 'content' && typeof value === 'string' && text.includes(value))
    .map(({ name, value }) => ({ name, at: text.indexOf(value as string) }));
  return places.flatMap(({ name, at }, index) =>
    index > 0 && at < places[index - 1]!.at ? [`${name} comes too early`] : [],
  );
}

/** Marks that stand on the other side more than once. */
export function doubled(marks: readonly Mark[], other: string): string[] {
  const { text } = readValues(other);
  return marks
    .filter(({ kind, value }) => kind === 'content' && typeof value === 'string' && text.split(value).length > 2)
    .map(({ name, value }) => `${name} (${value}) is there twice`);
}

const REASONING = [
  'foreign-reasoning',
  'prefix-bound',
  'account-bound',
  'model-bound',
  'reasoning',
  'not-shown',
  'unsigned',
];

function accountsFor({ path, reason, detail = '' }: ReportedLoss, { kind, name, value }: Mark): boolean {
  const words = `${path} ${detail}`.toLowerCase();
  if (kind === 'demand') return false;
  if (kind === 'opaque') return reason === 'prefix-bound';
  if (kind === 'reasoning') return REASONING.some((one) => reason.includes(one));
  if (kind === 'parameter') return isOf(path, name) || words.includes(String(value).toLowerCase());
  return words.includes(name.toLowerCase()) || words.includes(String(value).toLowerCase()) || reason === name;
}

/** Whether a path names a parameter, by its full name or by its own, or something that it is part of. */
function isOf(path: string, name: string): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll('_', '');
  const own = plain(name.split('.').at(-1)!);
  return plain(path).includes(own) || (path !== '' && `${name}.`.startsWith(`${path}.`));
}

interface Values {
  readonly text: string;
  /** In one piece: a text may go on in the next part of its message. */
  readonly flat: string;
  readonly numbers: ReadonlySet<number>;
}

/** All strings of a JSON text or of a stream, those inside of strings, too; and all numbers. */
function readValues(body: string): Values {
  const texts: string[] = [];
  const numbers = new Set<number>();
  const visit = (value: Json): void => {
    if (typeof value === 'number') numbers.add(value);
    else if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value))
      for (const [name, one] of Object.entries(value)) {
        texts.push(name);
        visit(one);
      }
  };
  visit(JSON.parse(body));
  const flat = texts.filter((text) => text !== 'text').join('');
  return { text: texts.join('\n'), flat, numbers };
}
