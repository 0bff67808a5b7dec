import type { Loss } from '../loss.ts';
import type { Element } from '../manifest.ts';
import type { CachePoint } from '../request.ts';
import { located } from './entry.ts';
import { dropped } from './notes.ts';
import type { RequestWriter } from './writer.ts';

/** APIs take at most four (`cache-max`). */
const MOST = 4;

const NOT_PLACED = /* @__PURE__ */ dropped('', 'cache-marker');

export interface Markers {
  readonly tools: boolean;
  readonly system: boolean;
  /** Indexes of the messages to mark. */
  readonly messages: ReadonlySet<number>;
  readonly losses: readonly Loss[];
}

export function markersFor(points: readonly CachePoint[], count: number, writer: RequestWriter): Markers {
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
    return { tools: false, system: false, messages: new Set(), losses: [located(NOT_PLACED, -1)] };
  // A fixed setting such as -2 also holds for the first turn.
  const early = indexes.filter((index) => index < -count);
  return {
    tools: points.includes('tools'),
    system: points.includes('system'),
    messages: new Set(indexes.filter((index) => index >= -count).map((index) => (index < 0 ? count + index : index))),
    losses: early.map((index) => located(dropped('', 'cache-marker', `${index}`), -1)),
  };
}

/** Cache points that found no place: their message is not sent as an element, or may not carry a marker. */
export function unplaced(points: ReadonlySet<number>, elements: readonly Element[]): Loss[] {
  if (points.size === 0) return [];
  const placed = new Set(elements.flatMap(({ of, plain }) => (plain ? of : [])));
  const missing = [...points].filter((point) => !placed.has(point));
  return missing.map((message) => located(NOT_PLACED, message));
}
