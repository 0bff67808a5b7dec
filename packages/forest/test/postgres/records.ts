import { assistant, user } from '@skein/core';
import { type BodyRecord, ECHO_START, extendEcho, type NodeRecord, nodeId, ROOT, sha256 } from '@skein/forest';

/** A chain of plain messages behind a node: the records of each, body first. */
export function chain(texts: readonly string[], parent = ROOT, depth = 0, at = 1): (BodyRecord | NodeRecord)[] {
  const records: (BodyRecord | NodeRecord)[] = [];
  let echo = ECHO_START;
  let above = parent;
  for (const [index, text] of texts.entries()) {
    const message = index % 2 === 0 ? user(text) : assistant(text);
    const digest = sha256(message.raw);
    const id = nodeId(above, 'blocks', digest);
    echo = extendEcho(echo, message);
    records.push({ k: 'body', digest, text: message.raw });
    records.push({
      k: 'node',
      id,
      parent: above,
      depth: depth + index + 1,
      dialect: 'blocks',
      body: digest,
      echo: echo.text,
      lead: ROOT,
      facts: { role: message.role } as NodeRecord['facts'],
      at,
    });
    above = id;
  }
  return records;
}

export function nodesOf(records: readonly (BodyRecord | NodeRecord)[]): NodeRecord[] {
  return records.filter((record): record is NodeRecord => record.k === 'node');
}
