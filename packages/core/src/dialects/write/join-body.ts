import { type Element, joinElements, type Manifest } from '../manifest.ts';

/** The text of a request's elements up to the first that carries a cache marker: what the next request begins with, too. */
interface Start {
  readonly count: number;
  readonly text: string;
}

/** Kept while the manifest lives, so that a long history is copied once per turn and not joined again. */
const starts = new WeakMap<Manifest, Start>();

/** The same as `joinManifest`, from where the request before it ended. */
export function joinBody(
  manifest: Manifest,
  previous: Manifest | undefined,
  rawOf: (message: number) => string,
): string {
  const { head, elements, tail } = manifest;
  const marked = elements.findIndex(({ plain }) => plain !== undefined);
  const count = marked < 0 ? elements.length : marked;
  const known = previous && starts.get(previous);
  const reused = known && known.count <= count ? known : { count: 0, text: '' };
  const joined = (part: readonly Element[]): string => joinElements(part, rawOf);
  const start = behind(reused.text, joined(elements.slice(reused.count, count)));
  const body = head + behind(start, joined(elements.slice(count))) + tail;
  starts.set(manifest, { count, text: start });
  return body;
}

function behind(left: string, right: string): string {
  return left === '' || right === '' ? left + right : `${left},${right}`;
}
