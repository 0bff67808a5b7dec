/** Looks at one API: what its types allow and the emulator refuses, which names our reader does not know, and what changed since the last look. */
import { findPlace, nearestPlace, readSources } from './places.mjs';
import { sampleRequests } from './samples.mjs';
import { compareSurfaces, openTypes, readSurface } from './surface.mjs';

/**
 * @typedef {{ readonly name: string, readonly message: string, readonly place: string | undefined }} RefusedMember
 * @typedef {{ readonly part: string, readonly name: string }} UnknownName
 * @typedef {import('./surface.mjs').Change & { readonly part: string, readonly place: string | undefined }} PlacedChange
 * @typedef {object} Drift
 * @property {number} samples How many requests were judged.
 * @property {readonly RefusedMember[]} refused What the types allow and the emulator refuses.
 * @property {readonly UnknownName[]} unknown Variants of replies, events and errors that our reader does not name.
 * @property {readonly PlacedChange[]} changes From the release that was looked at last to this one.
 */

const PARTS = ['Request', 'Reply', 'Event', 'ErrorBody'];

/** @param {import('./surface.mjs').Types} types */
const readSurfaces = (types) => new Map(PARTS.map((part) => [part, readSurface(types, types.root(part), part)]));

/**
 * @param {import('./watched.mjs').WatchedApi} watched
 * @param {{ readonly root: string, readonly before: string, readonly after: string }} folders
 *   The repository, the unpacked release that was looked at last, and the one to look at.
 * @returns {Drift}
 */
export function watchApi(watched, { root, before, after }) {
  const emulator = readSources(root, watched.emulator);
  const dialect = readSources(root, watched.dialect);
  const types = openTypes(after, watched.roots);
  const surfaces = readSurfaces(types);
  const old = readSurfaces(openTypes(before, watched.roots));
  const changes = [...surfaces].flatMap(([part, surface]) =>
    compareSurfaces(old.get(part) ?? new Map(), surface).map((change) => {
      const names = change.member ? [change.member, ...(surface.get(change.type)?.tags ?? [])] : [];
      const sources = part === 'Request' ? [...emulator, ...dialect] : dialect;
      return { ...change, part, place: nearestPlace(sources, names) };
    }),
  );
  return { ...judgeSamples(watched, types, emulator), unknown: unknownNames(surfaces, dialect), changes };
}

/**
 * @param {import('./watched.mjs').WatchedApi} watched
 * @param {import('./surface.mjs').Types} types
 * @param {import('./places.mjs').Sources} sources
 * @returns {Pick<Drift, 'samples' | 'refused'>}
 */
function judgeSamples({ judge, refusals, refusedAnyway = {}, base, model, emulator }, types, sources) {
  // What is below a refused member is refused with the same words: one line is enough.
  const refused = new Map();
  let samples = 0;
  for (const { type, member, tags, body } of sampleRequests(types, types.root('Request'), base)) {
    samples += 1;
    const name = `${type}.${member}`;
    if (Object.hasOwn(refusedAnyway, name) || Object.hasOwn(refusedAnyway, member)) continue;
    // A member that is only warned about is one that the emulator does not know, too.
    const settings = { refuseUnknown: true };
    const { refusal } = judge({ body: JSON.stringify(body), settings, ...(model && { model }) });
    if (!refusal || !refusals.test(refusal.rule) || refused.has(refusal.message)) continue;
    refused.set(refusal.message, {
      name,
      message: refusal.message,
      place: nearestPlace(sources, [...tags, member]) ?? emulator[0],
    });
  }
  return { samples, refused: [...refused.values()] };
}

/**
 * Tags of what a provider sends that the dialect's sources never name. The reader keeps them; it gives them no meaning.
 *
 * @param {ReadonlyMap<string, import('./surface.mjs').Surface>} surfaces
 * @param {import('./places.mjs').Sources} dialect
 */
function unknownNames(surfaces, dialect) {
  /** @type {UnknownName[]} */
  const unknown = [];
  const told = new Set();
  for (const [part, surface] of surfaces) {
    if (part === 'Request') continue;
    for (const name of new Set([...surface.values()].flatMap((type) => [...type.tags]))) {
      if (told.has(name) || findPlace(dialect, name)) continue;
      told.add(name);
      unknown.push({ part, name });
    }
  }
  return unknown;
}
