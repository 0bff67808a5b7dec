import { create } from 'zustand';

/** Which parts are unfolded and which messages are shown as written. Lost when the page is closed. */
interface FoldState {
  readonly open: ReadonlySet<string>;
  readonly raw: ReadonlySet<string>;
}

export const useFolds = create<FoldState>(() => ({ open: new Set(), raw: new Set() }));

/** Whether a part of a message is unfolded, and how to toggle it. `place` identifies the part. */
export function useFold(node: string, place: string | number): readonly [boolean, () => void] {
  const key = `${node}:${place}`;
  const isOpen = useFolds(({ open }) => open.has(key));
  return [isOpen, () => toggleFold(key)];
}

function toggleFold(key: string): void {
  useFolds.setState(({ open }) => ({ open: toggled(open, key) }));
}

/** Unfolds all parts of a message, or folds them when any is open. */
export function toggleFolds(node: string, places: readonly (string | number)[]): void {
  const keys = places.map((place) => `${node}:${place}`);
  useFolds.setState(({ open }) => {
    const next = new Set(open);
    const isAnyOpen = keys.some((key) => open.has(key));
    for (const key of keys) {
      if (isAnyOpen) next.delete(key);
      else next.add(key);
    }
    return { open: next };
  });
}

export function toggleRaw(node: string): void {
  useFolds.setState(({ raw }) => ({ raw: toggled(raw, node) }));
}

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}
