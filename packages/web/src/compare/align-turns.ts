import type { Node } from '../api/types.ts';

/** What one person or one model said in a row: a prompt, or an answer with its tool calls and their results. */
export interface Turn {
  readonly kind: 'prompt' | 'answer';
  readonly nodes: readonly Node[];
}

/** Cuts a path into turns. */
export function toTurns(path: readonly Node[]): readonly Turn[] {
  const turns: { kind: Turn['kind']; nodes: Node[] }[] = [];
  for (const node of path) {
    const kind = node.role === 'user' && !node.content.some(({ type }) => type === 'tool-result') ? 'prompt' : 'answer';
    const last = turns.at(-1);
    if (last?.kind === kind) last.nodes.push(node);
    else turns.push({ kind, nodes: [node] });
  }
  return turns;
}

/** A turn of every column; undefined where a column has none of this kind here. */
export type TurnRow = readonly (Turn | undefined)[];

/** Puts prompts beside prompts and answers beside answers, however many messages each took. */
export function alignTurns(columns: readonly (readonly Turn[])[]): readonly TurnRow[] {
  const at = columns.map(() => 0);
  const rows: TurnRow[] = [];
  for (;;) {
    const next = columns.map((turns, index) => turns[at[index]!]);
    const kind = next.find((turn) => turn !== undefined)?.kind;
    if (kind === undefined) return rows;
    rows.push(next.map((turn) => (turn?.kind === kind ? turn : undefined)));
    for (const [index, turn] of next.entries()) if (turn?.kind === kind) at[index]! += 1;
  }
}
