import { keyLabel } from '../commands/key-names.ts';
import { GROUPS, useCommands } from '../commands/registry.ts';
import { useOverlays } from '../state/overlays.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { FIXED_KEYS } from './fixed-keys.ts';
import { foldDigits, type KeyRow } from './fold-digits.ts';

/** All keys: those of what is on screen, and those that always mean the same. */
export function HelpSheet() {
  const isOpen = useOverlays((overlays) => overlays.help);
  return (
    <Dialog wide open={isOpen} onClose={() => useOverlays.setState({ help: false })} title="Keys">
      {isOpen && <Keys />}
    </Dialog>
  );
}

function Keys() {
  const { commands } = useCommands();
  const here = new Set([...commands.values()].flatMap(({ keys = [] }) => keys));
  const withKeys = [...commands.values()].flatMap(({ id, title, group, keys }) =>
    keys?.length ? [{ id, title, group, keys }] : [],
  );
  const elsewhere = FIXED_KEYS.filter(({ keys }) => !keys.some((key) => here.has(key)));
  return (
    <div className="gap-x-8 sm:columns-2">
      {GROUPS.map((group) => {
        const rows = foldDigits(withKeys.filter((command) => command.group === group));
        return rows.length > 0 && <Section key={group} title={group} rows={rows} />;
      })}
      <Section title="In a conversation" rows={elsewhere} />
    </div>
  );
}

function Section({ title, rows }: { readonly title: string; readonly rows: readonly KeyRow[] }) {
  if (rows.length === 0) return null;
  return (
    <section className="mb-6 break-inside-avoid">
      <h3 className="mb-1 text-xs font-semibold text-faint">{title}</h3>
      <dl>
        {rows.map((row) => (
          <div key={row.id} className="flex items-center justify-between gap-4 border-b border-line py-1 last:border-0">
            <dt className="min-w-0">{row.title}</dt>
            <dd className="flex shrink-0 gap-1">
              {row.keys.map((key) => (
                <Kbd key={key}>{keyLabel(key)}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
