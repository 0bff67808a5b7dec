import { isObject, type JsonObject } from '../../json/index.ts';

/** The schemas that may hold for one place in a value. */
export interface SchemaPlace {
  readonly root: JsonObject;
  readonly schemas: readonly JsonObject[];
}

export function schemaRoot(root: JsonObject): SchemaPlace {
  return { root, schemas: expand(root, root) };
}

export function inMember({ root, schemas }: SchemaPlace, name: string): SchemaPlace {
  const found = schemas.map(({ properties, additionalProperties }) =>
    isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties,
  );
  return { root, schemas: found.flatMap((schema) => expand(schema, root)) };
}

export function inElement({ root, schemas }: SchemaPlace, index: number): SchemaPlace {
  const found = schemas.map(({ items, prefixItems }): unknown => {
    const listed: unknown = Array.isArray(prefixItems) ? prefixItems[index] : undefined;
    return listed ?? items;
  });
  return { root, schemas: found.flatMap((schema) => expand(schema, root)) };
}

export function allowsType({ schemas }: SchemaPlace, type: string): boolean {
  return schemas.some((schema) => schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type)));
}

/** A schema and those it refers to or is made of. */
function expand(schema: unknown, root: JsonObject, depth = 0): readonly JsonObject[] {
  if (!isObject(schema) || depth > 8) return [];
  const { $ref, anyOf, oneOf, allOf } = schema;
  const referred = typeof $ref === 'string' && $ref.startsWith('#') ? [at(root, $ref)] : [];
  const inner = [...referred, ...[anyOf, oneOf, allOf].flatMap((list): unknown[] => (Array.isArray(list) ? list : []))];
  return [schema, ...inner.flatMap((one) => expand(one, root, depth + 1))];
}

function at(root: JsonObject, pointer: string): unknown {
  const steps = pointer.slice(1).split('/').slice(1);
  return steps.reduce<unknown>(
    (value, step) =>
      isObject(value) ? value[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')] : undefined,
    root,
  );
}
