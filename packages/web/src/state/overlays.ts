import { create } from 'zustand';

/** The overlays that are open. They are not stored. */
interface Overlays {
  /** The page of the palette; undefined while it is closed. */
  readonly palette: PalettePage | undefined;
  readonly help: boolean;
  /** Whether the list of conversations is open as an overlay, on a narrow screen. */
  readonly forest: boolean;
  readonly exporting: ExportScope | undefined;
  /** The search field of the forest should take the focus. */
  readonly wantsSearch: boolean;
}

export type PalettePage = 'all' | 'models';

/** What to export. Several threads are several exports, joined in one file. */
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

/** Opens the export dialog. */
export function openExport(of: ExportScope): void {
  useOverlays.setState({ exporting: of });
}
