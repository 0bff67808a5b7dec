import type { GenerationEvent } from '@skein/server/client';
import type { Block, ConversationSnapshot } from './conversation.ts';
import { type Node, type ThreadView, toMessage, toSnapshot } from './read-thread.ts';

type LiveBlock = Block & { readonly index?: number };

/** An answer as its events tell it, from its beginning. */
export class LiveAnswer {
  readonly #view: ThreadView;
  readonly #branch: number;
  readonly #known: Map<string, Node>;
  readonly #fetchNode: (id: string) => Promise<Node>;
  #nodes: readonly Node[];
  #blocks: readonly LiveBlock[] = [];

  constructor(view: ThreadView, fetchNode: (id: string) => Promise<Node>) {
    const { generation, branch } = view.answer!;
    const question = view.nodes.findIndex(({ id }) => id === generation.node);
    this.#view = view;
    this.#branch = branch;
    this.#fetchNode = fetchNode;
    this.#known = new Map(view.nodes.map((node) => [node.id, node]));
    this.#nodes = view.nodes.slice(0, question + 1);
  }

  async apply(event: GenerationEvent): Promise<void> {
    if (event.branch !== this.#branch) return;
    switch (event.type) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        return this.#append(event.type, event.text);
      case 'tool-use': {
        const { index, id, name } = event;
        this.#begin({ type: 'tool-use', index, id, name, rawParameters: '' });
        return;
      }
      case 'tool-arguments':
        this.#blocks = this.#blocks.map((block) =>
          block.type === 'tool-use' && block.index === event.index
            ? { ...block, rawParameters: block.rawParameters + event.text }
            : block,
        );
        return;
      case 'message':
        return this.#complete(this.#known.get(event.node) ?? (await this.#fetchNode(event.node)));
      case 'branch-end':
        this.#blocks = [];
        return;
      default:
        // Nothing that a page shows; the same holds for kinds of a newer server.
        return;
    }
  }

  snapshot(): ConversationSnapshot {
    const { generation } = this.#view.answer!;
    const messages = this.#nodes.map((node) => toMessage(node, this.#view));
    const id = `live:${generation.id}`;
    const blocks = this.#blocks.map(({ index: _, ...block }): Block => block);
    const live = { id, role: 'assistant', blocks, isLive: true, siblings: [id] } as const;
    return {
      ...toSnapshot(this.#view),
      status: 'streaming',
      pending: [],
      messages: blocks.length === 0 ? messages : [...messages, live],
    };
  }

  #append(type: 'text' | 'reasoning' | 'refusal', text: string): void {
    const last = this.#blocks.at(-1);
    if (last?.type === type) this.#blocks = [...this.#blocks.slice(0, -1), { ...last, text: last.text + text }];
    else this.#begin(type === 'reasoning' ? { type, text, redacted: false } : { type, text });
  }

  #begin(block: LiveBlock): void {
    // A resumed answer begins again beside the message that was cut.
    if (this.#nodes.at(-1)?.takes.some(({ cut }) => cut)) this.#nodes = this.#nodes.slice(0, -1);
    this.#blocks = [...this.#blocks, block];
  }

  #complete(node: Node): void {
    const parent = this.#nodes.findIndex(({ id }) => id === node.parent);
    this.#nodes = [...this.#nodes.slice(0, parent + 1), node];
    this.#blocks = [];
  }
}
