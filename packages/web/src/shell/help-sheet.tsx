import { keyLabel } from '../commands/keys.ts';
import { GROUPS, useCommands } from '../commands/registry.ts';
import { useOverlays } from '../state/overlays.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';

/** The list of all keys: those of the current screen, and those of a conversation. */
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

/** The keys of a conversation, listed so that the sheet is complete on every screen. */
const FIXED_KEYS: readonly { readonly id: string; readonly title: string; readonly keys: readonly string[] }[] = [
  { id: 'siblings', title: 'Previous or next sibling', keys: ['Alt+ArrowUp', 'Alt+ArrowDown', 'k', 'j'] },
  { id: 'parent', title: 'Parent', keys: ['Alt+ArrowLeft', 'h'] },
  { id: 'child', title: 'Last visited child', keys: ['Alt+ArrowRight', 'l'] },
  { id: 'forks', title: 'Previous or next fork', keys: ['[', ']'] },
  { id: 'send', title: 'Send and generate', keys: ['Ctrl+Enter'] },
  { id: 'send-only', title: 'Send only', keys: ['Ctrl+Shift+Enter'] },
  { id: 'generate', title: 'Generate siblings; with a digit, so many', keys: ['g', 'g 3'] },
  { id: 'edit', title: 'Edit as a branch', keys: ['e'] },
  { id: 'bookmark', title: 'Bookmark', keys: ['b'] },
  { id: 'compare', title: 'Compare what is marked', keys: ['c'] },
  { id: 'tree', title: 'Tree', keys: ['t'] },
  { id: 'raw', title: 'Raw text', keys: ['r'] },
  { id: 'fold', title: 'Fold or unfold', keys: ['Space'] },
  { id: 'delete', title: 'Delete a branch', keys: ['x'] },
  { id: 'stop', title: 'Stop the stream, then close', keys: ['Escape'] },
];

interface KeyRow {
  readonly id: string;
  readonly title: string;
  readonly keys: readonly string[];
}

/** Merges rows that differ only in a digit: "Answer again 2 times" … 9 become "Answer again 2–9 times". */
export function foldDigits(rows: readonly KeyRow[]): readonly KeyRow[] {
  const groups = new Map<string, KeyRow[]>();
  for (const row of rows) {
    const shape = `${row.keys.join(',')}|${row.title}`.replace(/\d/g, '#');
    groups.set(shape, [...(groups.get(shape) ?? []), row]);
  }
  return [...groups.values()].map((group) => {
    const [first, last] = [group[0]!, group.at(-1)!];
    if (group.length === 1) return first;
    const from = firstDigit(first);
    const upTo = firstDigit(last);
    const fold = (text: string) => text.replace(from, `${from}–${upTo}`);
    return { id: first.id, title: fold(first.title), keys: first.keys.map(fold) };
  });
}

function firstDigit({ keys }: KeyRow): string {
  return keys.join(' ').match(/\d/)?.[0] ?? '';
}
