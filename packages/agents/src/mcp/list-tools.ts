import { isRecord } from '../files/shape.ts';
import type { Connection } from './connection.ts';

const MAX_PAGES = 64;

/** Everything that a server lists, page by page; a list without end is cut. */
export async function listTools(link: Connection, signal: AbortSignal): Promise<readonly unknown[]> {
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await link.request('tools/list', cursor === undefined ? {} : { cursor }, signal);
    if (!isRecord(listed) || !Array.isArray(listed.tools)) throw new Error('it gave no list of tools');
    tools.push(...listed.tools);
    if (typeof listed.nextCursor !== 'string' || listed.nextCursor === cursor) break;
    cursor = listed.nextCursor;
  }
  return tools;
}
