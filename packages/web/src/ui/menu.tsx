import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { keyLabel } from '../commands/keys.ts';
import { currentKey } from '../commands/shortcuts.ts';
import { Kbd } from './kbd.tsx';

export interface MenuItem {
  readonly title: string;
  readonly icon?: ReactNode;
  readonly keys?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly run: () => void;
}

/** A menu. `trigger` is the button that opens it; a `null` item is a separator. */
export function Menu({
  trigger,
  items,
}: {
  readonly trigger: ReactElement;
  readonly items: readonly (MenuItem | null)[];
}) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup className="max-h-[70dvh] min-w-48 overflow-y-auto rounded-lg border border-line bg-raised p-1 text-sm shadow-lg">
            {items.map((item, index) =>
              item === null ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else
                <Base.Separator key={`line-${index}`} className="my-1 h-px bg-line" />
              ) : (
                <Base.Item
                  key={item.title}
                  disabled={item.disabled ?? false}
                  onClick={item.run}
                  className={`flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 outline-none data-disabled:cursor-not-allowed data-disabled:opacity-40 data-highlighted:bg-hover ${item.danger ? 'text-danger' : ''}`}
                >
                  <span className="flex w-4 shrink-0 justify-center">{item.icon}</span>
                  <span className="grow">{item.title}</span>
                  {item.keys && currentKey(item.keys) && <Kbd>{keyLabel(currentKey(item.keys)!)}</Kbd>}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
