import { create } from 'zustand';

/** What lies over the screens. Nothing of it is kept. */
interface Overlays {
  /** What the palette shows; undefined while it is closed. */
  readonly palette: PalettePage | undefined;
  readonly help: boolean;
  /** The forest at the side, where the screen is too narrow to have it beside the rest. */
  readonly forest: boolean;
  readonly exporting: ExportScope | undefined;
  /** The search field of the forest is to have the focus. */
  readonly wantsSearch: boolean;
}

export type PalettePage = 'all' | 'models';

/** What an export is about; several threads make several files. */
export type ExportScope =
  | { readonly kind: 'everything' }
  | { readonly kind: 'thread' | 'path' | 'below' | 'node'; readonly id: string; readonly title: string }
  | { readonly kind: 'threads'; readonly ids: readonly string[] };

export const useOverlays = create<Overlays>(() => ({
  palette: undefined,
  help: false,
  forest: false,
  exporting: undefined,
  wantsSearch: false,
}));

export function openPalette(page: PalettePage = 'all'): void {
  useOverlays.setState({ palette: page, help: false, forest: false });
}

/** Asks how to export something, wherever the reader is. */
export function openExport(of: ExportScope): void {
  useOverlays.setState({ exporting: of });
}
