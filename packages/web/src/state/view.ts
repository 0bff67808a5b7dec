import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { RequestOptions } from '../api/types.ts';

export type InspectorTab = 'tree' | 'raw' | 'diff' | 'usage' | 'request';

/** The reader's view settings, stored in the browser. */
interface ViewState {
  /** Whether the panes at the sides are open. */
  readonly forestOpen: boolean;
  readonly inspectorOpen: boolean;
  /** In pixels. */
  readonly forestWidth: number;
  readonly tab: InspectorTab;
  /** Whether JSON texts are shown with one line per value. */
  readonly pretty: boolean;
  /** `provider/model`, or undefined for the server's default. */
  readonly model: string | undefined;
  readonly agent: string | undefined;
  /** The tools and parameters of new conversations. */
  readonly tools: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  /** The choice for one existing conversation. Others continue with the settings of their last request. */
  readonly chosenFor: (RequestSettings & { readonly thread: string }) | undefined;
  /** Nodes that are marked to be compared, at most four. */
  readonly marked: readonly string[];
  /** The models to ask side by side. */
  readonly compared: readonly string[];
  readonly welcomed: boolean;
  /** Whether Enter sends a message. Otherwise it begins a line, and Ctrl+Enter sends. */
  readonly enterSends: boolean;
  /** The models that were asked last, the latest first. */
  readonly recentModels: readonly string[];
}

/** The tools and parameters of a request. */
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
        enterSends: true,
        recentModels: [],
      }) as ViewState,
    { name: 'skein.view', version: 1 },
  ),
);

type Choices = Pick<ViewState, 'model' | 'agent' | 'tools' | 'params' | 'chosenFor'>;

/** The options of the next request of a conversation. The server takes the others from its last request. */
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

/** The settings of a new conversation. If no tools are chosen, an agent uses its own. */
export function startSettings({ tools, params }: Pick<ViewState, 'tools' | 'params'>): RequestSettings {
  return { ...(tools.length > 0 && { tools }), ...(Object.keys(params).length > 0 && { params }) };
}

/** Sets the settings of an existing conversation, or of new ones. */
export function chooseSettings(thread: string | undefined, settings: RequestSettings): void {
  if (thread === undefined) useView.setState(settings);
  else
    useView.setState(({ chosenFor }) => ({
      chosenFor: { ...(chosenFor?.thread === thread && chosenFor), ...settings, thread },
    }));
}

const MOST_RECENT = 5;

/** Chooses the model of the next answers; undefined for the default one. */
export function chooseModel(model: string | undefined): void {
  useView.setState({ model });
  if (model !== undefined) rememberModel(model);
}

export function rememberModel(model: string): void {
  useView.setState(({ recentModels }) => ({
    recentModels: [model, ...recentModels.filter((one) => one !== model)].slice(0, MOST_RECENT),
  }));
}

const MOST_MARKED = 4;

/** Marks a node for comparison, or unmarks it. Beyond the limit the oldest mark is dropped. */
export function toggleMarked(id: string): void {
  useView.setState(({ marked }) => ({
    marked: marked.includes(id) ? marked.filter((other) => other !== id) : [...marked, id].slice(-MOST_MARKED),
  }));
}

export function showTab(tab: InspectorTab): void {
  useView.setState({ tab, inspectorOpen: true });
}
