import {
  getMember,
  isJson,
  leafNode,
  listNode,
  type MergeRule,
  mergeDelta,
  printTree,
  type RecordNode,
  setMember,
  type TextNode,
  type Tree,
  textNode,
} from '../../json/index.ts';

/** Strings that come whole; all other strings of a delta continue the block's own. */
const RULE: MergeRule = { replaced: new Set(['signature', 'encrypted_content']) };

/** Members of a delta that speak of the delta, not of the block: a block that carries them is refused (`extra-block`). */
export const PASSING: ReadonlySet<string> = new Set(['type', 'estimated_tokens']);

/** One content block while it arrives. */
export class StreamBlock {
  readonly #tree: RecordNode;
  readonly type: string;
  /** The decoded pieces of `partial_json`. */
  readonly #json: string[] = [];
  #stopped = false;
  /** Where plain pieces go, by field. */
  readonly #texts = new Map<string, TextNode>();

  constructor(tree: RecordNode, type: string) {
    this.#tree = tree;
    this.type = type;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** An escaped piece of a string field: the way of nearly every event. */
  append(field: string, piece: string): void {
    let node = this.#texts.get(field);
    if (!node) {
      const present = getMember(this.#tree, field);
      node = present?.kind === 'text' ? present : textNode();
      if (node !== present) setMember(this.#tree, field, node);
      this.#texts.set(field, node);
    }
    node.pieces.push(piece);
  }

  appendJson(piece: string): void {
    this.#json.push(piece);
  }

  /** Any other delta: citations append, whatever is unknown joins by the merge rule. */
  merge(delta: RecordNode): void {
    const known: RecordNode = { kind: 'record', members: [] };
    for (const member of delta.members) {
      if (member.name === 'citation') this.#addCitation(member.value);
      else if (member.name !== 'partial_json' && !PASSING.has(member.name)) known.members.push(member);
    }
    mergeDelta(this.#tree, known, RULE);
    // Merging may have replaced the nodes.
    this.#texts.clear();
  }

  /** The block as far as it came. `last`: nothing followed it and the stream was cut. */
  text(last: boolean): string {
    const input = this.#input(last && !this.#stopped);
    if (input === undefined) return printTree(this.#tree);
    const whole: RecordNode = { kind: 'record', members: this.#tree.members.map((member) => ({ ...member })) };
    setMember(whole, 'input', leafNode(input));
    return printTree(whole);
  }

  /** Arguments that arrived in pieces; a string where they never became JSON, so that they show as incomplete. */
  #input(open: boolean): string | undefined {
    const json = this.#json.join('');
    if (json.trim() !== '') return isJson(json) ? json : JSON.stringify(json);
    const given = getMember(this.#tree, 'input');
    const isBlank = given?.kind === 'record' && given.members.length === 0;
    return open && isBlank ? '""' : undefined;
  }

  #addCitation(citation: Tree): void {
    const present = getMember(this.#tree, 'citations');
    if (present?.kind === 'list') present.items.push(citation);
    else setMember(this.#tree, 'citations', listNode([citation]));
  }
}
