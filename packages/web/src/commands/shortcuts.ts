import { create } from 'zustand';
import { persist } from 'zustand/middleware';

/** A command as the settings list it, also while its screen is closed. */
export interface KnownCommand {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** The keys that it has unless the reader chose others. */
  readonly keys: readonly string[];
  /** The screens that offer it, by the first part of their address, or `EVERYWHERE`. */
  readonly screens: readonly string[];
}

/** In place of a screen: all of them. */
export const EVERYWHERE = '*';

interface ShortcutState {
  /** The keys that the reader chose, by command. */
  readonly chosen: Readonly<Record<string, readonly string[]>>;
  /** Commands that were offered so far. */
  readonly known: Readonly<Record<string, KnownCommand>>;
}

/** The reader's own keys, stored in the browser. */
export const useShortcuts = create<ShortcutState>()(
  persist(() => ({ chosen: {}, known: {} }) as ShortcutState, { name: 'skein.keys', version: 1 }),
);

/** The keys of a command: the reader's own, or those that it comes with. */
export function effectiveKeys(id: string, keys: readonly string[] = []): readonly string[] {
  return useShortcuts.getState().chosen[id] ?? keys;
}

/** The key that now does what this one does without changes. */
export function currentKey(key: string): string | undefined {
  const { known, chosen } = useShortcuts.getState();
  const id = Object.keys(chosen).find((one) => known[one]?.keys.includes(key));
  return id === undefined ? key : chosen[id]![0];
}

/** Remembers commands, so that the settings list those of all screens that were open. */
export function rememberCommands(commands: readonly Omit<KnownCommand, 'screens'>[], screen: string): void {
  const { known } = useShortcuts.getState();
  const news = commands.flatMap(({ id, title, group, keys }): readonly KnownCommand[] => {
    const before = known[id];
    const isKnown = before?.title === title && before.keys.join() === keys.join() && before.screens.includes(screen);
    return isKnown ? [] : [{ id, title, group, keys, screens: [...new Set([...(before?.screens ?? []), screen])] }];
  });
  if (news.length === 0) return;
  useShortcuts.setState({ known: { ...known, ...Object.fromEntries(news.map((one) => [one.id, one])) } });
}

/** Another command that a key runs on a screen where this command is offered, too. */
export function findConflict(id: string, key: string): KnownCommand | undefined {
  const { known } = useShortcuts.getState();
  const own = known[id];
  return Object.values(known).find(
    (other) =>
      other.id !== id &&
      own !== undefined &&
      isOfferedWith(own, other) &&
      effectiveKeys(other.id, other.keys).some((one) => one === key || one.startsWith(`${key} `)),
  );
}

function isOfferedWith({ screens }: KnownCommand, other: KnownCommand): boolean {
  const all = [...screens, ...other.screens];
  return all.includes(EVERYWHERE) || screens.some((screen) => other.screens.includes(screen));
}

/** Gives a command a key, and takes it from another one. */
export function chooseKey(id: string, key: string, takenFrom?: KnownCommand): void {
  useShortcuts.setState(({ chosen }) => ({
    chosen: {
      ...chosen,
      ...(takenFrom && {
        [takenFrom.id]: effectiveKeys(takenFrom.id, takenFrom.keys).filter((one) => one !== key),
      }),
      [id]: [key],
    },
  }));
}

/** Gives a command, or all of them, the keys that they come with. */
export function resetKeys(id?: string): void {
  useShortcuts.setState(({ chosen }) => ({
    chosen: id === undefined ? {} : Object.fromEntries(Object.entries(chosen).filter(([one]) => one !== id)),
  }));
}
