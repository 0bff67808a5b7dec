import { create } from 'zustand';
import type { Node } from '../api/types.ts';

/** What the reader is doing on this screen. */
interface ScreenState {
  /** The message that is being edited. */
  readonly editing: string | undefined;
  /** The dialog that is open. */
  readonly dialog: DialogRequest | undefined;
  /** What became of asking for an answer to a message, by message: it is on its way, or was refused. */
  readonly asked: ReadonlyMap<string, AskState>;
  /** Whether the field to find words in the conversation is open. */
  readonly isFinding: boolean;
}

export type AskState = { readonly isAsking: true } | { readonly isAsking: false; readonly error: string };

export interface DialogRequest {
  readonly what: 'delete' | 'delete-others' | 'tag' | 'note' | 'split' | 'system';
  readonly node: Node;
}

export const useScreenState = create<ScreenState>(() => ({
  editing: undefined,
  dialog: undefined,
  asked: new Map(),
  isFinding: false,
}));

/** Notes what became of asking for an answer; undefined when it is being given. */
export function noteAsked(node: string, state: AskState | undefined): void {
  useScreenState.setState(({ asked }) => {
    const next = new Map(asked);
    if (state) next.set(node, state);
    else next.delete(node);
    return { asked: next };
  });
}

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
