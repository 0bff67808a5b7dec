/** Reads the types of a package: which object types its roots reach, which members these have, and what changed between two releases. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * @typedef {import('typescript').Type} Type
 * @typedef {{ readonly optional: boolean, readonly text: string }} Member
 * @typedef {{ readonly members: Map<string, Member>, readonly tags: ReadonlySet<string> }} ObjectType
 * @typedef {Map<string, ObjectType>} Surface The object types by name.
 * @typedef {{ readonly kind: 'new' | 'gone' | 'changed', readonly type: string, readonly member?: string, readonly text: string }} Change
 */

const OPTIONS = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

/** Members by whose literal value a reader tells the variants of a union apart. */
const TAG_NAMES = new Set(['type', 'event_type', 'object', 'role']);

/**
 * Opens the types that `roots` exports. `roots` is the text of a module in the package's own folder, such as
 * `export type { Message as Reply } from './messages'`.
 *
 * @param {string} folder The unpacked package.
 * @param {string} roots
 */
export function openTypes(folder, roots) {
  const file = join(folder, 'skein-drift.d.ts');
  writeFileSync(file, roots);
  const program = ts.createProgram([file], OPTIONS);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const exported = new Map(module ? checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol]) : []);
  /** @param {import('typescript').Declaration} declaration */
  const within = (declaration) => declaration.getSourceFile().fileName.startsWith(folder);
  return {
    checker,
    /**
     * Whether the package itself declares the type; `Date`, `Uint8Array` and the like come from elsewhere.
     *
     * @param {Type} type
     */
    isOwn: (type) => type.symbol?.declarations?.some(within) ?? false,
    /** @param {string} name */
    root(name) {
      const symbol = exported.get(name);
      if (!symbol) return undefined;
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const type = checker.getDeclaredTypeOfSymbol(target);
      // A name that the release no longer exports is `any`, and would hide that everything below it is gone.
      if (type.flags & ts.TypeFlags.Any) throw new Error(`${folder} does not export what the root ${name} names.`);
      return type;
    },
  };
}

/** @typedef {ReturnType<typeof openTypes>} Types */

/**
 * The variants of a union without null and undefined; `[type]` for other types.
 *
 * @param {Type} type
 */
export const variants = (type) =>
  (type.isUnion() ? type.types : [type]).filter(
    ({ flags }) => !(flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void)),
  );

/**
 * The members of an object type that travel in JSON, with their types.
 *
 * @param {Pick<Types, 'checker'>} types
 * @param {Type} type
 */
export function membersOf({ checker }, type) {
  return checker
    .getPropertiesOfType(type)
    .map((symbol) => ({
      name: symbol.name,
      optional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      type: checker.getTypeOfSymbol(symbol),
    }))
    .filter((member) => member.type.getCallSignatures().length === 0 && !(member.type.flags & ts.TypeFlags.Never));
}

/**
 * The name under which people find an object type: its declaration with the namespaces around it, or its place.
 *
 * @param {Pick<Types, 'checker'>} types
 * @param {Type} type
 * @param {string} place
 */
export function typeName({ checker }, type, place) {
  const symbol = type.aliasSymbol ?? type.symbol;
  if (!symbol || symbol.name === '__type' || symbol.name === '__object') return place;
  return checker.getFullyQualifiedName(symbol).replace(/^".*"\./, '');
}

/**
 * `string & {}`: how SDKs write "these literals, or any text".
 *
 * @param {Type} type
 */
export const isOpenText = (type) =>
  type.isIntersection() && type.types.some(({ flags }) => (flags & ts.TypeFlags.String) !== 0);

/**
 * Whether a type has members that the package itself declares.
 *
 * @param {Types} types
 * @param {Type} type
 */
export function isObjectType(types, type) {
  if (type.isIntersection()) return !isOpenText(type);
  return (type.flags & ts.TypeFlags.Object) !== 0 && elementType(types, type) === undefined && types.isOwn(type);
}

/**
 * The type of a list's elements; undefined for other types.
 *
 * @param {Pick<Types, 'checker'>} types
 * @param {Type} type
 */
export const elementType = ({ checker }, type) =>
  checker.isArrayType(type) || checker.isTupleType(type)
    ? checker.getTypeArguments(/** @type {import('typescript').TypeReference} */ (type))[0]
    : undefined;

/**
 * Every object type that a root reaches.
 *
 * @param {Types} types
 * @param {import('typescript').Type | undefined} root
 * @param {string} rootName
 * @returns {Surface}
 */
export function readSurface(types, root, rootName) {
  /** @type {Surface} */
  const surface = new Map();
  const seen = new Set();
  const pending = root ? [{ type: root, place: rootName }] : [];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const type of variants(next.type)) {
      const element = elementType(types, type) ?? types.checker.getIndexTypeOfType(type, ts.IndexKind.String);
      if (element) pending.push({ type: element, place: `${next.place}[]` });
      if (!isObjectType(types, type) || seen.has(type)) continue;
      seen.add(type);
      const name = typeName(types, type, next.place);
      const members = new Map();
      const tags = new Set();
      for (const member of membersOf(types, type)) {
        const text = types.checker.typeToString(member.type, undefined, ts.TypeFormatFlags.NoTruncation);
        members.set(member.name, { optional: member.optional, text });
        if (TAG_NAMES.has(member.name))
          for (const tag of variants(member.type)) if (tag.isStringLiteral()) tags.add(tag.value);
        pending.push({ type: member.type, place: `${name}.${member.name}` });
      }
      for (const key of soleKeys(types, type)) tags.add(key);
      surface.set(name, { members, tags });
    }
  }
  return surface;
}

/**
 * The key of an object that has one of several keys, as AWS writes its unions: all the others are `never`.
 *
 * @param {Types} types
 * @param {Type} type
 * @returns {string[]}
 */
function soleKeys({ checker }, type) {
  const members = checker.getPropertiesOfType(type);
  const present = members.filter((symbol) => variants(checker.getTypeOfSymbol(symbol)).length > 0);
  const [only] = present;
  return present.length === 1 && members.length > 2 && only && !only.name.startsWith('$') ? [only.name] : [];
}

/**
 * What is new, gone or changed from one release to the next.
 *
 * @param {Surface} before
 * @param {Surface} after
 * @returns {Change[]}
 */
export function compareSurfaces(before, after) {
  /** @type {Change[]} */
  const changes = [];
  for (const [type, { members }] of after) {
    const old = before.get(type)?.members;
    if (!old) changes.push({ kind: 'new', type, text: [...members.keys()].join(', ') });
    for (const [member, now] of old ? members : []) {
      const was = old?.get(member);
      const text = `${now.text}${now.optional ? ' (optional)' : ''}`;
      if (!was) changes.push({ kind: 'new', type, member, text });
      else if (was.text !== now.text || was.optional !== now.optional)
        changes.push({
          kind: 'changed',
          type,
          member,
          text: `${was.text}${was.optional ? ' (optional)' : ''} → ${text}`,
        });
    }
    for (const member of old?.keys() ?? [])
      if (!members.has(member)) changes.push({ kind: 'gone', type, member, text: '' });
  }
  for (const type of before.keys()) if (!after.has(type)) changes.push({ kind: 'gone', type, text: '' });
  return changes;
}
