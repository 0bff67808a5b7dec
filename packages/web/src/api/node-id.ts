import { ApiProblem } from './client.ts';

/** What cannot be the id of a node, nor its beginning, is not asked for: the server would answer with a pattern. */
export function asNodeId(text: string): string {
  if (/^[0-9a-f]{4,40}$/.test(text)) return text;
  throw new ApiProblem(404, 'unknown_node', `There is no node ${text} in this forest.`);
}
