import { Bot, CircleHelp, Ellipsis, Settings2, User, Wrench } from 'lucide-react';

const ICONS = { user: User, assistant: Bot, tool: Wrench, system: Settings2, run: Ellipsis } as const;
const COLORS = {
  user: 'text-user',
  assistant: 'text-assistant',
  tool: 'text-tool',
  system: 'text-system',
} as const;

/** Who wrote a message, as a small sign; the words are beside it. */
export function RoleIcon({ role, size = 14 }: { readonly role: string; readonly size?: number }) {
  const Icon = role in ICONS ? ICONS[role as keyof typeof ICONS] : CircleHelp;
  const color = role in COLORS ? COLORS[role as keyof typeof COLORS] : 'text-faint';
  return <Icon size={size} aria-hidden className={`shrink-0 ${color}`} />;
}
