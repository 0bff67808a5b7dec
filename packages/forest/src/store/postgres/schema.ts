import type { Generated } from 'kysely';

/** The tables, as kysely knows them. Everything is under a project; `seq` is the order of writing. */
export interface Tables {
  skein_node: NodeRow & Written;
  skein_page: { project: string; id: string; above: string; ids: string[] };
  skein_words: { project: string; id: string; words: string };
  skein_body: BodyRow & Written;
  skein_take: TakeRow & Written;
  skein_ref: RefRow & Written;
  skein_entry: EntryRow & Written;
  /** Records of kinds that nobody knows, by the SHA-256 of their JSON text. */
  skein_other: OtherRow & Written;
  skein_writer: { project: string; writer: string; beat: Date };
  skein_era: { project: string; era: number };
}

/** `seq` and the transaction that wrote the row: by it a reader knows what it has not seen (changes.ts). */
interface Written {
  seq: Generated<string>;
  xid: Generated<string>;
}

/** `rest` is the JSON text of all fields of a record that have no column. */
export interface NodeRow {
  project: string;
  id: string;
  parent: string;
  depth: number;
  dialect: string;
  body: string;
  echo: string;
  lead: string;
  role: string;
  at: number;
  rest: string;
}

export interface BodyRow {
  project: string;
  digest: string;
  text: string;
}

export interface TakeRow {
  project: string;
  node: string;
  id: string;
  at: number;
  rest: string;
}

export interface RefRow {
  project: string;
  on: string;
  key: string;
  name: string;
  clock: string;
  /** Whether its value is anything but null. */
  is_set: boolean;
  rest: string;
}

export interface EntryRow {
  project: string;
  kind: string;
  id: string;
  of: string;
  order: string;
  clock: string;
  rest: string;
}

export interface OtherRow {
  project: string;
  digest: string;
  record: string;
}
