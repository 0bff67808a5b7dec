import {
  getMember,
  isJson,
  leafNode,
  listNode,
  type MergeRule,
  memberIn,
  mergeDelta,
  printTree,
  type RecordNode,
  setMember,
  textNode,
} from '../../json/index.ts';

/** Strings that come whole; all other strings of a delta continue the block's own. */
const RULE: MergeRule = { replaced: new Set(['signature', 'encrypted_content']) };

/** A member of a delta that speaks of the delta, not of the block: a block that carries it is refused (`extra-block`). */
export const PASSING = 'estimated_tokens';

/** One content block while it arrives. */
export class StreamBlock {
  readonly type: unknown;
  isStopped = false;
  /** The decoded pieces of `partial_json`. */
  readonly json: string[] = [];
  readonly #tree: RecordNode;

  constructor(tree: RecordNode, type: unknown) {
    this.#tree = tree;
    this.type = type;
  }

  /** An escaped piece of a string field: the way of nearly every event. */
  append(field: string, piece: string): void {
    memberIn(this.#tree, field, textNode).pieces.push(piece);
  }

  /** Any other delta: citations append, whatever is unknown joins by the merge rule. */
  merge({ members }: RecordNode): void {
    for (const { name, value } of members)
      if (name === 'citation') memberIn(this.#tree, 'citations', listNode).items.push(value);
    const known = members.filter(({ name }) => !['type', 'citation', 'partial_json', PASSING].includes(name));
    mergeDelta(this.#tree, { kind: 'record', members: known }, RULE);
  }

  /** The block as far as it came. `isLast`: nothing followed it and the stream was cut. */
  text(isLast: boolean): string {
    const input = this.#input(isLast && !this.isStopped);
    if (input === undefined) return printTree(this.#tree);
    const whole: RecordNode = { kind: 'record', members: this.#tree.members.map((member) => ({ ...member })) };
    setMember(whole, 'input', leafNode(input));
    return printTree(whole);
  }

  /** Arguments that arrived in pieces; a string where they never became JSON, so that they show as incomplete. */
  #input(isOpen: boolean): string | undefined {
    const json = this.json.join('');
    if (json.trim() !== '') return isJson(json) ? json : JSON.stringify(json);
    const given = getMember(this.#tree, 'input');
    return isOpen && given && printTree(given) === '{}' ? '""' : undefined;
  }
}
