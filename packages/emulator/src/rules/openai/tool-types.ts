import type { Dialect } from './dialect.ts';
import { type Finding, missingParameter, unsupportedValue } from './finding.ts';
import { type Shape, variantOf } from './shape.ts';
import { eachFields, type Fields, isSet } from './values.ts';

/** Tools without a type, or of one that there is not. */
export function* wrongToolTypes(
  { body, dialect }: { readonly body: Fields; readonly dialect: Dialect },
  shapes: Readonly<Record<string, Shape>>,
): Iterable<Finding> {
  for (const [index, { type }] of eachFields(body.tools)) {
    const param = `tools[${index}].type`;
    if (!isSet(type)) yield missingParameter(param);
    else if (variantOf(shapes, type) === undefined && !dialect.extra?.includes(`tools:${type}`))
      yield unsupportedValue(param, type, Object.keys(shapes));
  }
}
