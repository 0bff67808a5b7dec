import { canonical, isJson } from '@skein/core';
import { sha256 } from '../model/index.ts';
import { safeQuery } from './safe-parts.ts';

/**
 * What two requests must have in common to be the same for a replay: method, path, query without keys, and the body.
 * JSON is compared by value, so that key order, spaces and the spelling of numbers and strings do not count; other
 * bodies byte for byte. Host and headers do not count: another address or key asks the same.
 */
export function replayKey(method: string, url: URL, body: string): string {
  const query = new URLSearchParams(safeQuery(url));
  query.sort();
  return sha256([method, url.pathname, query.toString(), isJson(body) ? canonical(body) : body].join('\n'));
}
