import { Monitor, Moon, Sun } from 'lucide-react';
import { setTheme, type Theme, useTheme } from '../state/theme.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';

const ICONS: Readonly<Record<Theme, typeof Sun>> = { light: Sun, dark: Moon, system: Monitor };
const TITLES: Readonly<Record<Theme, string>> = { light: 'Light', dark: 'Dark', system: 'As the system' };

export function ThemeButton() {
  const { theme } = useTheme();
  const Icon = ICONS[theme];
  return (
    <Menu
      trigger={
        <IconButton label={`Theme: ${TITLES[theme]}`}>
          <Icon size={16} />
        </IconButton>
      }
      items={(['light', 'dark', 'system'] as const).map((one) => {
        const Own = ICONS[one];
        return { title: TITLES[one], icon: <Own size={14} />, run: () => setTheme(one) };
      })}
    />
  );
}
