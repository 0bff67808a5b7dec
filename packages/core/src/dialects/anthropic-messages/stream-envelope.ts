import { getMember, leafNode, parseJson, printTree, type RecordNode, recordNode, setMember } from '../../json/index.ts';
import type { Usage } from '../reply.ts';
import { usageOf } from './usage.ts';

/** Everything of a streamed reply but its content, in the shape of the unstreamed one. */
export class StreamEnvelope {
  #tree: RecordNode = recordNode();
  started = false;

  start(message: RecordNode): void {
    this.started = true;
    const before = this.#tree;
    this.#tree = { kind: 'record', members: message.members.map((member) => ({ ...member })) };
    setMember(this.#tree, 'content', leafNode('null'));
    this.update(before);
  }

  /** Later values replace earlier ones, those of `usage` one by one; `null` replaces nothing. */
  update(members: RecordNode): void {
    replaceMembers(this.#tree, members, (name) => name === 'usage');
  }

  text(addTo: (envelope: RecordNode) => void): string {
    if (!getMember(this.#tree, 'content')) setMember(this.#tree, 'content', leafNode('null'));
    addTo(this.#tree);
    return printTree(this.#tree);
  }

  usage(): Usage | undefined {
    const usage = getMember(this.#tree, 'usage');
    if (usage?.kind !== 'record') return undefined;
    const text = printTree(usage);
    return usageOf(parseJson(text), text);
  }

  string(name: string): string | undefined {
    const node = getMember(this.#tree, name);
    return node?.kind === 'text' ? (JSON.parse(printTree(node)) as string) : undefined;
  }

  roleText(): string {
    const role = getMember(this.#tree, 'role');
    return role ? printTree(role) : '"assistant"';
  }
}

function replaceMembers(target: RecordNode, members: RecordNode, goesInto: (name: string) => boolean): void {
  for (const { name, key, value } of members.members) {
    const before = getMember(target, name);
    if (goesInto(name) && value.kind === 'record' && before?.kind === 'record')
      replaceMembers(before, value, () => false);
    else if (before === undefined || value.kind !== 'leaf' || value.text !== 'null')
      setMember(target, name, value, key);
  }
}
