import { create } from 'zustand';
import type { Node } from '../api/types.ts';

/** What is being done on this screen. */
interface Desk {
  /** The message that is being edited. */
  readonly editing: string | undefined;
  /** What is asked about a message. */
  readonly asking: Asking | undefined;
}

export interface Asking {
  readonly what: 'delete' | 'delete-others' | 'tag' | 'note' | 'split' | 'system';
  readonly node: Node;
}

export const useDesk = create<Desk>(() => ({ editing: undefined, asking: undefined }));

export function startEditing(node: string): void {
  useDesk.setState({ editing: node });
}

export function stopEditing(): void {
  useDesk.setState({ editing: undefined });
}

export function ask(what: Asking['what'], node: Node): void {
  useDesk.setState({ asking: { what, node } });
}

export function stopAsking(): void {
  useDesk.setState({ asking: undefined });
}
