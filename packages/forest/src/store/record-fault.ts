import { nodeId, type StoreRecord, sha256, takeOf } from '../model/index.ts';

/** What is wrong with a record by the hash that names it; undefined when it holds, and for kinds that have none. */
export function hashFault(record: StoreRecord): string | undefined {
  switch (record.k) {
    case 'body':
      return sha256(record.text) === record.digest ? undefined : `The text of body ${record.digest} has another hash.`;
    case 'take': {
      const { k: _, id, ...facts } = record;
      return takeOf(facts).id === id ? undefined : `Take ${id} has another hash.`;
    }
    case 'node': {
      const { id, parent, dialect, body } = record;
      return nodeId(parent, dialect, body) === id ? undefined : `Node ${id} does not have the id of what it says.`;
    }
    default:
      return undefined;
  }
}
