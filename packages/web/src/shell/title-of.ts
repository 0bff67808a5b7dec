const SCREENS: Readonly<Record<string, string>> = {
  '': 'Forest',
  new: 'New conversation',
  c: 'Conversation',
  t: 'Conversation',
  graph: 'Graph',
  compare: 'Compare',
  recordings: 'Recordings',
  settings: 'Settings',
};

/** What the browser calls a screen. */
export function titleOf(path: string, search: string, thread: string | undefined): string {
  const screen = path.split('/')[1] ?? '';
  const words = new URLSearchParams(search).get('q')?.trim();
  const name = (screen === 't' && thread) || (screen === '' && words && `“${words}”`) || SCREENS[screen];
  return name ? `${name} · Skein` : 'Skein';
}
