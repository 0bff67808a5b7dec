import { useLayoutEffect, useRef } from 'react';
import { create } from 'zustand';
import { pathHere } from '../api/base.ts';
import { t } from '../words/words.ts';
import { EVERYWHERE, effectiveKeys, rememberCommands, useShortcuts } from './shortcuts.ts';

/** The groups of commands, in the order of display. */
export const GROUPS = ['go', 'message', 'branch', 'conversation', 'view', 'forest'] as const;

/** Something the reader can do from the palette, by a key or from a menu. */
export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: (typeof GROUPS)[number];
  /** Alternative keys, such as `Alt+ArrowUp`, `Ctrl+Enter`, `e` or the sequence `g 3`. Ctrl is also Cmd on a Mac. */
  readonly keys?: readonly string[];
  /** Other words to find it by. */
  readonly words?: string;
  /** Whether its keys work while typing; keys with Ctrl always do. */
  readonly whileTyping?: boolean;
  readonly run: () => void;
}

export function groupName(group: Command['group']): string {
  return t(`groups.${group}`);
}

interface Registry {
  readonly commands: ReadonlyMap<string, Command>;
}

export const useCommands = create<Registry>(() => ({ commands: new Map() }));

/** Registers commands while a component is mounted. The last registration of an id wins. `isEverywhere`: every screen offers them. */
export function useCommandList(commands: readonly Command[], isEverywhere = false): void {
  const latest = useRef(commands);
  latest.current = commands;
  const chosen = useShortcuts((shortcuts) => shortcuts.chosen);
  const ids = commands
    .map(({ id, title, keys }) => `${id}|${title}|${keys?.join(',')}|${chosen[id]?.join(',')}`)
    .join('\n');
  // Before the component is painted, because the reader may press a key as soon as it is visible.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `ids` stands for the commands, whose functions change at every drawing
  useLayoutEffect(() => {
    rememberCommands(
      latest.current.map(({ id, title, group, keys = [] }) => ({ id, title, group: groupName(group), keys })),
      isEverywhere ? EVERYWHERE : (pathHere().split('/')[1] ?? ''),
    );
    const offered = latest.current.map((command) => ({
      ...command,
      keys: effectiveKeys(command.id, command.keys),
      run: () => latest.current.find(({ id }) => id === command.id)?.run(),
    }));
    useCommands.setState(({ commands: before }) => {
      const after = new Map(before);
      for (const command of offered) after.set(command.id, command);
      return { commands: after };
    });
    return () => {
      useCommands.setState(({ commands: before }) => {
        const after = new Map(before);
        for (const command of offered) if (after.get(command.id) === command) after.delete(command.id);
        return { commands: after };
      });
    };
  }, [ids]);
}
