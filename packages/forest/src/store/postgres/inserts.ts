import { insertInto, keepLater, keepThere } from './insert.ts';
import type { BodyRow, EntryRow, NodeRow, OtherRow, RefRow, Tables, TakeRow } from './schema.ts';

export const BODY = insertInto<BodyRow>('skein_body', { project: 'text', digest: 'text', text: 'text' }, keepThere);
export const NODE = insertInto<NodeRow>(
  'skein_node',
  {
    project: 'text',
    id: 'text',
    parent: 'text',
    depth: 'integer',
    dialect: 'text',
    body: 'text',
    echo: 'text',
    lead: 'text',
    role: 'text',
    at: 'float8',
    rest: 'text',
  },
  keepThere,
);
export const WORDS = insertInto<Tables['skein_words']>(
  'skein_words',
  { project: 'text', id: 'text', words: 'tsvector' },
  keepThere,
);
export const TAKE = insertInto<TakeRow>(
  'skein_take',
  { project: 'text', node: 'text', id: 'text', at: 'float8', rest: 'text' },
  keepThere,
);
export const REF = insertInto<RefRow>(
  'skein_ref',
  { project: 'text', on: 'text', key: 'text', name: 'text', clock: 'text', is_set: 'boolean', rest: 'text' },
  keepLater('skein_ref', ['project', 'on', 'key', 'name'], ['is_set', 'rest']),
);
export const ENTRY = insertInto<EntryRow>(
  'skein_entry',
  { project: 'text', kind: 'text', id: 'text', of: 'text', order: 'text', clock: 'text', rest: 'text' },
  keepLater('skein_entry', ['project', 'kind', 'id'], ['of', 'order', 'rest']),
);
export const OTHER = insertInto<OtherRow>(
  'skein_other',
  { project: 'text', digest: 'text', record: 'text' },
  keepThere,
);
