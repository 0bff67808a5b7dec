import { allowsType, type SchemaPlace } from './schema-place.ts';

/** What a tool gets for an integer that a double cannot hold: a `bigint` where the schema has an integer, else the digits. */
export function toolForm(place: SchemaPlace): 'bigint' | 'digits' {
  return allowsType(place, 'integer') ? 'bigint' : 'digits';
}
