import { create } from 'zustand';
import type { Node } from '../api/types.ts';

/** What the reader is doing on this screen. */
interface ScreenState {
  /** The message that is being edited. */
  readonly editing: string | undefined;
  /** The dialog that is open. */
  readonly dialog: DialogRequest | undefined;
}

export interface DialogRequest {
  readonly what: 'delete' | 'delete-others' | 'tag' | 'note' | 'split' | 'system';
  readonly node: Node;
}

export const useScreenState = create<ScreenState>(() => ({ editing: undefined, dialog: undefined }));

export function startEditing(node: string): void {
  useScreenState.setState({ editing: node });
}

export function stopEditing(): void {
  useScreenState.setState({ editing: undefined });
}

export function openDialog(what: DialogRequest['what'], node: Node): void {
  useScreenState.setState({ dialog: { what, node } });
}

export function closeDialog(): void {
  useScreenState.setState({ dialog: undefined });
}
