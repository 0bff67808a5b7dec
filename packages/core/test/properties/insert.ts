/** Something to put into a JSON text: where, as a fraction of all places there are, and what. */
export interface Insertion {
  readonly at: number;
  readonly name: string;
  /** The value of a new member. */
  readonly member: string;
  /** A new element of a list. */
  readonly element: string;
}

export interface Inserted {
  readonly text: string;
  /** What was put in, with its name where it has one. */
  readonly added: string;
}

/** Puts an unknown member into one of the objects between two places of a JSON text, or an element into one of the lists. */
export function insert(text: string, start: number, end: number, insertion: Insertion): Inserted {
  const places = openings(text, start, end);
  const place = places[Math.min(places.length - 1, Math.floor(insertion.at * places.length))];
  if (place === undefined) throw new Error('there is no object to insert into');
  const isObject = text[place - 1] === '{';
  const added = isObject ? `"${insertion.name}":${insertion.member}` : insertion.element;
  const isAlone = /^\s*[\]}]/.test(text.slice(place));
  return { text: text.slice(0, place) + added + (isAlone ? '' : ',') + text.slice(place), added };
}

/** The places behind every opening bracket, strings aside. */
function openings(text: string, start: number, end: number): number[] {
  const tokens = text.slice(start, end).matchAll(/"(?:[^"\\]+|\\[\s\S])*"|[[{]/g);
  return [...tokens].flatMap((match) => (match[0].length === 1 ? [start + match.index + 1] : []));
}
