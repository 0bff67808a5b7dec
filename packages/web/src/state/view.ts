import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { Wish } from '../api/types.ts';

export type InspectorTab = 'tree' | 'raw' | 'diff' | 'usage' | 'request';

/** How this person looks at the forest; kept in the browser. */
interface ViewState {
  /** Whether the panes at the sides are open. */
  readonly forestOpen: boolean;
  readonly inspectorOpen: boolean;
  /** In pixels. */
  readonly forestWidth: number;
  readonly tab: InspectorTab;
  /** Whether exact texts are shown with a line for each value. */
  readonly pretty: boolean;
  /** provider/model, or undefined for the server's own. */
  readonly model: string | undefined;
  readonly agent: string | undefined;
  readonly tools: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  /** Nodes that are marked to be compared, at most four. */
  readonly marked: readonly string[];
  /** Models that are asked side by side. */
  readonly compared: readonly string[];
  readonly welcomed: boolean;
}

export const useView = create<ViewState>()(
  persist(
    () =>
      ({
        forestOpen: true,
        inspectorOpen: true,
        forestWidth: 256,
        tab: 'tree',
        pretty: false,
        model: undefined,
        agent: undefined,
        tools: [],
        params: {},
        marked: [],
        compared: [],
        welcomed: false,
      }) as ViewState,
    { name: 'skein.view', version: 1 },
  ),
);

/** What the next answer is asked with. */
export function wishOf({ model, agent, tools, params }: Pick<ViewState, 'model' | 'agent' | 'tools' | 'params'>): Wish {
  return {
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(tools.length > 0 && { tools: [...tools] }),
    ...(Object.keys(params).length > 0 && { params: { ...params } }),
  };
}

const MOST_MARKED = 4;

/** Marks a node to be compared, or takes its mark away; the oldest of too many goes. */
export function toggleMarked(id: string): void {
  useView.setState(({ marked }) => ({
    marked: marked.includes(id) ? marked.filter((other) => other !== id) : [...marked, id].slice(-MOST_MARKED),
  }));
}

export function showTab(tab: InspectorTab): void {
  useView.setState({ tab, inspectorOpen: true });
}
