import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { RequestOptions } from '../api/types.ts';

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
  /** What conversations begin with. */
  readonly tools: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  /** What was chosen for a conversation that is there; any other goes on as its last request was asked. */
  readonly chosenFor: (RequestSettings & { readonly thread: string }) | undefined;
  /** Nodes that are marked to be compared, at most four. */
  readonly marked: readonly string[];
  /** Models that are asked side by side. */
  readonly compared: readonly string[];
  readonly welcomed: boolean;
}

/** What a model is asked with beside the messages. */
export interface RequestSettings {
  readonly tools?: readonly string[];
  readonly params?: Readonly<Record<string, unknown>>;
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
        chosenFor: undefined,
        marked: [],
        compared: [],
        welcomed: false,
      }) as ViewState,
    { name: 'skein.view', version: 1 },
  ),
);

type Choices = Pick<ViewState, 'model' | 'agent' | 'tools' | 'params' | 'chosenFor'>;

/** What the next answer of a conversation is asked with. What was not chosen for it is as in its last request. */
export function toRequestOptions({ model, agent, chosenFor, ...own }: Choices, thread?: string): RequestOptions {
  const { tools, params } = thread === undefined ? startSettings(own) : chosenFor?.thread === thread ? chosenFor : {};
  return {
    ...(thread !== undefined && { thread }),
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(tools && { tools: [...tools] }),
    ...(params && { params: { ...params } }),
  };
}

/** What a conversation begins with; an agent has tools of its own where none are chosen. */
export function startSettings({ tools, params }: Pick<ViewState, 'tools' | 'params'>): RequestSettings {
  return { ...(tools.length > 0 && { tools }), ...(Object.keys(params).length > 0 && { params }) };
}

/** Chooses for a conversation that is there, or for those that will be begun. */
export function chooseSettings(thread: string | undefined, settings: RequestSettings): void {
  if (thread === undefined) useView.setState(settings);
  else
    useView.setState(({ chosenFor }) => ({
      chosenFor: { ...(chosenFor?.thread === thread && chosenFor), ...settings, thread },
    }));
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
