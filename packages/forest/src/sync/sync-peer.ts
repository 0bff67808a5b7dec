import type { StoreRecord } from '../model/records.ts';
import type { RecordItem, RecordSummary } from './record-index.ts';
import type { SyncSelection } from './selection.ts';
import type { HeadPair, ResolvedHead } from './thread-heads.ts';

/** The version of the calls below. Peers of different versions refuse each other. */
export const SYNC_VERSION = 3;

/** A record with the id under which peers compare it, so that the receiver can verify it. */
export interface SyncRecord {
  readonly id: string;
  readonly record: StoreRecord;
  /** For a node, a hash of the whole record: its id leaves out what can be derived from its text. */
  readonly sum?: string;
}

/** One page of records that were asked for. */
export interface SyncPage {
  readonly records: readonly SyncRecord[];
  /** How many of the ids are done. Ask for the others again. */
  readonly done: number;
}

/** The forest that begins a meeting. */
export interface LocalPeer extends SyncPeer {
  select(threads: readonly string[]): Promise<LocalPeer>;
  /** Says what becomes of two heads of one thread. */
  settleHeads(rivals: readonly HeadPair[]): Promise<readonly ResolvedHead[]>;
}

/** A forest that another one meets: on the same machine, behind a server or at the other end of a pipe. */
export interface SyncPeer {
  /** The version of its calls. */
  version(): Promise<number>;
  /** The ids of the threads of a selection. */
  threads(selection: SyncSelection): Promise<readonly string[]>;
  /** The same peer, with only what belongs to these threads. */
  select(threads: readonly string[]): Promise<SyncPeer>;
  /** For each prefix, the summaries of the sixteen prefixes that are one digit longer. */
  summaries(prefixes: readonly string[]): Promise<readonly (readonly RecordSummary[])[]>;
  /** The items whose ids begin with any of the prefixes. */
  items(prefixes: readonly string[]): Promise<readonly RecordItem[]>;
  /** Reads records in the order of their ids, as many as fit into one page. Records that are gone are left out. */
  read(ids: readonly string[]): Promise<SyncPage>;
  /** Verifies every record, then writes all of them. If one is wrong, it throws and writes none of them. */
  write(records: readonly SyncRecord[]): Promise<void>;
  /** Writes what it has gathered; called when everything was sent. Absent if `write` gathers nothing. */
  flush?(): Promise<void>;
}
