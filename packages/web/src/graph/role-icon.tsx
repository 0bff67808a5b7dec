import { Bot, CircleHelp, Ellipsis, Settings2, User, Wrench } from 'lucide-react';
import { roleText } from '../ui/colors.ts';

const ICONS = { user: User, assistant: Bot, tool: Wrench, system: Settings2, run: Ellipsis } as const;

/** The icon of a role. The caller writes the role beside it. */
export function RoleIcon({ role, size = 14 }: { readonly role: string; readonly size?: number }) {
  const Icon = role in ICONS ? ICONS[role as keyof typeof ICONS] : CircleHelp;
  return <Icon size={size} aria-hidden className={`shrink-0 ${roleText(role, 'text-faint')}`} />;
}
