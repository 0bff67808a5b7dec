import { sha256 } from '../../../model/ids.ts';
import type { NodeRecord } from '../../../model/records.ts';
import { readHex } from './hex.ts';
import type { PageCache } from './pages.ts';
import { KeyTable, type ListToSave, PLACE_WORDS, type RecordPlace, RowMap, type Rows, type SavedList } from './rows.ts';

const ID_BYTES = 20;
const ECHO_BYTES = 16;
/** The row of the root, which has no record. */
const ROOT_ROW = 0;

// The words of a row, behind the place of the record.
const AT = PLACE_WORDS;
const PARENT = AT + 2;
const LEAD = PARENT + 1;
const BODY = LEAD + 1;
const DEPTH = BODY + 1;
const FIRST_CHILD = DEPTH + 1;
const NEXT_SIBLING = FIRST_CHILD + 1;
const CHILDREN = NEXT_SIBLING + 1;
/** 1 + the row of its first take; 0 for none. */
const FIRST_TAKE = CHILDREN + 1;
const ROLE = FIRST_TAKE + 1;
const ID = ROLE + 1;
const ECHO = ID + ID_BYTES / 4;
const WIDTH = ECHO + ECHO_BYTES / 4;

/** The places of nodes, and what queries need to know of them. A missing node that others refer to has a row without a place: a gap. */
export interface NodeTable {
  /** The number of rows. */
  readonly count: number;
  /** The number of nodes that are referred to but missing. */
  readonly gaps: number;
  /** -1 for an unknown id. */
  rowOf(id: string): number;
  /** The row of an id, added if it is unknown; -1 if it is not a valid id. */
  rowFor(id: string): number;
  idOf(row: number): string;
  has(row: number): boolean;
  place(row: number): RecordPlace | undefined;
  parent(row: number): number;
  /** The row of its body. */
  body(row: number): number;
  at(row: number): number;
  depth(row: number): number;
  role(row: number): string;
  /** The rows of its children, in no order. */
  children(row: number): number[];
  childCount(row: number): number;
  firstTake(row: number): number;
  setFirstTake(row: number, take: number): void;
  /**
   * The rows by depth, if some parent has a later row than its child, as after reading a segment before the one that it
   * continues; undefined if parents come first anyway.
   */
  rowsByDepth(): Uint32Array | undefined;
  /** The ids that begin with these digits. */
  idsLike(prefix: string): string[];
  /** The row of the best node with this echo, of those with this lead if there are any; -1 for none. */
  findEcho(echo: string, lead: number): number;
  /** Adds a node. Returns undefined if it is there already and not older. */
  put(record: NodeRecord, body: number, place: RecordPlace): 'new' | 'earlier' | undefined;
  save(): { readonly lists: Readonly<Record<NodeList, ListToSave>>; readonly facts: NodeFacts };
  drop(): void;
}

type NodeList = 'rows' | 'map' | 'byEcho' | 'byLead';

/** What is saved of the table beside its lists. */
interface NodeFacts {
  readonly roles: readonly string[];
  readonly gaps: number;
  readonly isOutOfOrder: boolean;
}

export interface SavedNodes {
  readonly lists: Readonly<Record<NodeList, SavedList>>;
  readonly facts: NodeFacts;
}

export function createNodeTable(cache: PageCache, saved?: SavedNodes): NodeTable {
  const ids = new KeyTable(cache, { width: WIDTH, at: ID, bytes: ID_BYTES }, saved?.lists);
  const { rows } = ids;
  const roles = [...(saved?.facts.roles ?? [])];
  const echoes = new EchoTable(cache, ids, saved?.lists);
  let gaps = saved?.facts.gaps ?? 0;
  let isOutOfOrder = saved?.facts.isOutOfOrder ?? false;
  let byDepth: { readonly rows: Uint32Array; readonly count: number; readonly gaps: number } | undefined;
  // The row of the root does not count as a gap.
  if (!saved) ids.add();

  const rowOf = (id: string) => (readHex(id, 0, ids.key, ID_BYTES) ? ids.find() : -1);
  const rowFor = (id: string) => {
    if (!readHex(id, 0, ids.key, ID_BYTES)) return -1;
    const known = ids.find();
    if (known >= 0) return known;
    gaps += 1;
    return ids.add();
  };
  const roleNumber = (role: string) => {
    const known = roles.indexOf(role);
    return known >= 0 ? known : roles.push(role) - 1;
  };

  return {
    rowOf,
    rowFor,
    idOf: (row) => ids.hexOf(row),
    has: (row) => rows.hasPlace(row),
    place: (row) => rows.place(row),
    parent: (row) => rows.word(row, PARENT),
    body: (row) => rows.word(row, BODY),
    at: (row) => rows.number(row, AT),
    depth: (row) => rows.word(row, DEPTH),
    role: (row) => roles[rows.word(row, ROLE)] ?? '',
    children(row) {
      const found: number[] = [];
      if (row < 0) return found;
      for (let child = rows.word(row, FIRST_CHILD); child !== ROOT_ROW; child = rows.word(child, NEXT_SIBLING))
        found.push(child);
      return found;
    },
    childCount: (row) => (row < 0 ? 0 : rows.word(row, CHILDREN)),
    firstTake: (row) => (row < 0 ? 0 : rows.word(row, FIRST_TAKE)),
    setFirstTake: (row, take) => rows.setWord(row, FIRST_TAKE, take),
    rowsByDepth() {
      if (!isOutOfOrder) return undefined;
      if (byDepth?.count !== rows.count || byDepth.gaps !== gaps)
        byDepth = { rows: sortByDepth(rows), count: rows.count, gaps };
      return byDepth.rows;
    },
    idsLike(prefix) {
      const found: string[] = [];
      const first = /^[0-9a-f]{2}/.test(prefix) ? Number.parseInt(prefix.slice(0, 2), 16) : -1;
      for (let row = 1; row < rows.count; row++) {
        if ((first >= 0 && rows.byte(row, ID) !== first) || !rows.hasPlace(row)) continue;
        const id = ids.hexOf(row);
        if (id.startsWith(prefix)) found.push(id);
      }
      return found.sort();
    },
    findEcho: (echo, lead) => echoes.find(echo, lead),
    put(record, body, place) {
      const parent = rowFor(record.parent);
      const lead = rowFor(record.lead);
      const row = rowFor(record.id);
      if (rows.hasPlace(row)) {
        if (record.at >= rows.number(row, AT)) return undefined;
        rows.setNumber(row, AT, record.at);
        rows.setPlace(row, place);
        echoes.isStale = true;
        return 'earlier';
      }
      gaps -= 1;
      isOutOfOrder ||= parent > row;
      rows.setPlace(row, place);
      rows.setNumber(row, AT, record.at);
      rows.setWord(row, PARENT, parent);
      rows.setWord(row, LEAD, lead);
      rows.setWord(row, BODY, body);
      rows.setWord(row, DEPTH, record.depth);
      rows.setWord(row, ROLE, roleNumber(record.facts.role));
      rows.setWord(row, NEXT_SIBLING, rows.word(parent, FIRST_CHILD));
      rows.setWord(parent, FIRST_CHILD, row);
      rows.setWord(parent, CHILDREN, rows.word(parent, CHILDREN) + 1);
      echoes.add(row, record.echo);
      return 'new';
    },
    save: () => ({ lists: { ...ids.save(), ...echoes.save() }, facts: { roles, gaps, isOutOfOrder } }),
    drop() {
      ids.drop();
      echoes.drop();
    },
    get count() {
      return rows.count;
    },
    get gaps() {
      return gaps;
    },
  };
}

/** All rows but that of the root, by depth and then by number. Two passes from front to end, because most pages may be on the disk. */
function sortByDepth(rows: Rows): Uint32Array {
  const starts: number[] = [];
  for (let row = 1; row < rows.count; row++) {
    const depth = rows.word(row, DEPTH);
    while (starts.length <= depth + 1) starts.push(0);
    starts[depth + 1]! += 1;
  }
  for (let depth = 1; depth < starts.length; depth++) starts[depth]! += starts[depth - 1]!;
  const sorted = new Uint32Array(rows.count - 1);
  for (let row = 1; row < rows.count; row++) {
    const depth = rows.word(row, DEPTH);
    sorted[starts[depth]!] = row;
    starts[depth]! += 1;
  }
  return sorted;
}

/** The best node for each echo, and for each echo and lead, by hash. */
class EchoTable {
  readonly #cache: PageCache;
  readonly #ids: KeyTable;
  readonly #rows: Rows;
  #byEcho: RowMap;
  #byLead: RowMap;
  readonly #wanted = new Uint32Array(ECHO_BYTES / 4);
  /** Set if the time of a node changed, so that the best nodes have to be determined again. */
  isStale = false;

  constructor(cache: PageCache, ids: KeyTable, saved?: Pick<SavedNodes['lists'], 'byEcho' | 'byLead'>) {
    this.#cache = cache;
    this.#ids = ids;
    this.#rows = ids.rows;
    this.#byEcho = new RowMap(cache, saved?.byEcho);
    this.#byLead = new RowMap(cache, saved?.byLead);
  }

  add(row: number, echo: string): void {
    readEcho(echo, this.#wanted);
    this.#rows.setKey(row, ECHO, this.#wanted);
    this.#add(row);
  }

  find(echo: string, lead: number): number {
    this.#update();
    readEcho(echo, this.#wanted);
    const preferred = lead < 0 ? -1 : this.#byLead.find(this.#leadHash(lead), this.#withLead(lead));
    return preferred >= 0 ? preferred : this.#byEcho.find(this.#wanted[0]!, this.#isWanted);
  }

  save() {
    this.#update();
    return { byEcho: this.#byEcho.save(), byLead: this.#byLead.save() };
  }

  drop(): void {
    this.#byEcho.drop();
    this.#byLead.drop();
  }

  readonly #isWanted = (row: number) => this.#rows.hasKey(row, ECHO, this.#wanted);

  #withLead(lead: number): (row: number) => boolean {
    return (row) => this.#rows.word(row, LEAD) === lead && this.#isWanted(row);
  }

  #leadHash(lead: number): number {
    return Math.imul(this.#wanted[0]! ^ Math.imul(lead + 1, 0x9e3779b1), 0x85ebca6b) >> 3;
  }

  /** Adds a row whose echo is the wanted one. */
  #add(row: number): void {
    const lead = this.#rows.word(row, LEAD);
    this.#put(this.#byEcho, this.#wanted[0]!, row, this.#isWanted);
    this.#put(this.#byLead, this.#leadHash(lead), row, this.#withLead(lead));
  }

  #put(map: RowMap, hash: number, row: number, isSame: (other: number) => boolean): void {
    const there = map.find(hash, isSame);
    if (there < 0) map.add(hash, row);
    else if (this.#isBetter(row, there)) map.replace(hash, there, row);
  }

  #isBetter(row: number, other: number): boolean {
    const depths = this.#rows.word(row, DEPTH) - this.#rows.word(other, DEPTH);
    if (depths !== 0) return depths > 0;
    const times = this.#rows.number(row, AT) - this.#rows.number(other, AT);
    return times === 0 ? this.#ids.hexOf(row) > this.#ids.hexOf(other) : times > 0;
  }

  #update(): void {
    if (!this.isStale) return;
    this.drop();
    this.#byEcho = new RowMap(this.#cache);
    this.#byLead = new RowMap(this.#cache);
    for (let row = 1; row < this.#rows.count; row++) {
      if (!this.#rows.hasPlace(row)) continue;
      this.#rows.readKey(row, ECHO, this.#wanted);
      this.#add(row);
    }
    this.isStale = false;
  }
}

/** Reads the 16 bytes of an echo of rule 1. Echoes of other rules are hashed, so that they never collide with those. */
function readEcho(echo: string, into: Uint32Array): void {
  const bytes = new Uint8Array(into.buffer);
  if (echo.startsWith('1:') && readHex(echo, 2, bytes, ECHO_BYTES)) return;
  readHex(sha256(echo).slice(0, ECHO_BYTES * 2), 0, bytes, ECHO_BYTES);
}
