/** Makes requests out of types: one for every member and every literal that the types of a request allow. */
import ts from 'typescript';
import { elementType, isObjectType, isOpenText, membersOf, typeName, variants } from './surface.mjs';

/**
 * @typedef {import('./surface.mjs').Types} Types
 * @typedef {import('typescript').Type} Type
 */

/**
 * @typedef {object} Sample
 * @property {string} type The type and the member for which the request was made.
 * @property {string} member
 * @property {readonly string[]} tags The literals of the objects around the member, nearest first.
 * @property {object} body
 */

/**
 * @typedef {object} Pending
 * @property {Type} type
 * @property {string} place
 * @property {readonly string[]} tags
 * @property {object} base
 * @property {(value: unknown) => object} embed Makes a request around a value.
 */

const DEPTH = 8;

/** A text that is also a number and base64, since some APIs write these as text. */
const TEXT = '1000';

/**
 * The value of a type without members. Of a union, the one with the lowest rank is taken.
 *
 * @param {Types} types
 * @param {Type} type
 */
function scalar({ checker }, type) {
  if (type.isLiteral()) return { value: type.value, rank: 1 };
  const { flags } = type;
  if (flags & ts.TypeFlags.BooleanLiteral) return { value: checker.typeToString(type) === 'true', rank: 1 };
  if (flags & ts.TypeFlags.StringLike || isOpenText(type)) return { value: TEXT, rank: 0 };
  if (flags & ts.TypeFlags.NumberLike) return { value: 1, rank: 1 };
  if (flags & ts.TypeFlags.BooleanLike) return { value: true, rank: 1 };
  return undefined;
}

/**
 * The smallest value of a type: required members only.
 *
 * @param {Types} types
 * @param {Type} type
 * @returns {unknown}
 */
export function smallest(types, type, depth = 0) {
  const all = variants(type);
  const scalars = all.flatMap((variant) => scalar(types, variant) ?? []);
  if (scalars.length > 0) return scalars.reduce((best, next) => (next.rank < best.rank ? next : best)).value;
  const [first] = all;
  if (!first) return null;
  if (elementType(types, first)) return [];
  if (!isObjectType(types, first) || depth > DEPTH) return {};
  return Object.fromEntries(
    membersOf(types, first)
      .filter(({ optional }) => !optional)
      .map((member) => [member.name, smallest(types, member.type, depth + 1)]),
  );
}

/**
 * The literals that tell an object apart, such as its `type`.
 *
 * @param {object} value
 */
const literals = (value) =>
  Object.values(value).flatMap((item) => (typeof item === 'string' && item !== TEXT ? item : []));

/**
 * Requests that together contain every member and literal of every object type that a request reaches, each in the
 * smallest request that has it.
 *
 * @param {Types} types
 * @param {Type | undefined} root The type of a request.
 * @param {object} base Members that every request has, whatever the types say.
 * @returns {Iterable<Sample>}
 */
export function* sampleRequests(types, root, base) {
  const seen = new Set();
  /** @type {Pending[]} */
  const pending = root ? [{ type: root, place: 'Request', tags: [], embed: (value) => Object(value), base }] : [];
  for (let next = pending.shift(); next; next = pending.shift()) {
    const outer = next.embed;
    for (const type of variants(next.type)) {
      const element = elementType(types, type);
      if (element) pending.push({ ...next, type: element, base: {}, embed: (value) => outer([value]) });
      if (!isObjectType(types, type) || seen.has(type)) continue;
      seen.add(type);
      const name = typeName(types, type, next.place);
      const required = Object(smallest(types, type));
      const object = { ...required, ...next.base };
      const tags = [...literals(required), ...next.tags];
      for (const member of membersOf(types, type)) {
        /** @type {Pending['embed']} */
        const embed = (value) => outer({ ...object, [member.name]: value });
        for (const value of memberValues(types, member.type))
          yield { type: name, member: member.name, tags, body: embed(value) };
        pending.push({ type: member.type, place: `${name}.${member.name}`, tags, embed, base: {} });
      }
    }
  }
}

/**
 * One value per literal and per kind of value that a member may have.
 *
 * @param {Types} types
 * @param {Type} type
 */
function memberValues(types, type) {
  const all = variants(type);
  const values = all.map((variant) => scalar(types, variant)?.value).filter((value) => value !== undefined);
  const others = all.filter((variant) => scalar(types, variant) === undefined);
  return [...new Set(values), ...others.map((variant) => smallest(types, variant))];
}
