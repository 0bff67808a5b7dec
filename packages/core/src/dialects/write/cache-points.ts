import type { Message } from '../../message/index.ts';
import { dropped, type Loss } from '../loss.ts';
import { type Element, joinElement } from '../manifest.ts';
import type { CachePoint } from '../request.ts';
import { locate } from './drafts.ts';
import type { RequestWriter } from './writer.ts';

/** APIs take at most four (`cache-max`). */
const MOST = 4;

const NOT_PLACED = /* @__PURE__ */ dropped('', 'cache-marker');

/** Where cache markers are to be placed. */
interface CacheMarkers {
  readonly tools: boolean;
  readonly system: boolean;
  /** Indexes of the messages to mark. */
  readonly messages: ReadonlySet<number>;
  readonly losses: readonly Loss[];
}

/** Checks cache points and resolves them to indexes; they are lost if the protocol has no markers. */
export function resolveCachePoints(points: readonly CachePoint[], count: number, writer: RequestWriter): CacheMarkers {
  if (points.length > MOST)
    throw new RangeError(`At most ${MOST} cache points can be placed, but ${points.length} were given`);
  const strange = points.find((point) => point !== 'tools' && point !== 'system' && !Number.isInteger(point));
  if (!Array.isArray(points) || strange !== undefined)
    throw new RangeError(
      `A cache point is 'tools', 'system' or the index of a message, not ${JSON.stringify(strange ?? points)}`,
    );
  const indexes = points.filter((point) => typeof point === 'number');
  const outside = indexes.find((index) => index >= count);
  if (outside !== undefined) throw new RangeError(`There is no message ${outside} to place a cache marker on`);
  if (!writer.mark && points.length > 0)
    return { tools: false, system: false, messages: new Set(), losses: [locate(NOT_PLACED, -1)] };
  // A fixed setting such as -2 must not fail on the first turn.
  const early = indexes.filter((index) => index < -count);
  return {
    tools: points.includes('tools'),
    system: points.includes('system'),
    messages: new Set(indexes.filter((index) => index >= -count).map((index) => (index < 0 ? count + index : index))),
    losses: early.map((index) => locate(dropped('', 'cache-marker', `${index}`), -1)),
  };
}

/** Places a cache marker on the last element of each message at these indexes. */
export function markElements(
  elements: readonly Element[],
  points: ReadonlySet<number>,
  writer: RequestWriter,
  messages: readonly Message[],
): readonly Element[] {
  if (points.size === 0) return elements;
  const places = new Set([...points].map((point) => elements.findLastIndex((element) => element.of.includes(point))));
  return elements.map((element, index) => {
    const text = places.has(index) ? writer.mark?.(joinElement(element, (at) => messages[at]!.raw)) : undefined;
    return text === undefined ? element : { of: element.of, pieces: [text], plain: element.pieces };
  });
}

/** The losses of cache points whose message is not sent as an element, or may not carry a marker. */
export function findUnplaced(points: ReadonlySet<number>, elements: readonly Element[]): Loss[] {
  if (points.size === 0) return [];
  const placed = new Set(elements.flatMap(({ of, plain }) => (plain ? of : [])));
  const missing = [...points].filter((point) => !placed.has(point));
  return missing.map((message) => locate(NOT_PLACED, message));
}
