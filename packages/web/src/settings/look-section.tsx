import { useOverlays } from '../state/overlays.ts';
import { setTheme, type Theme, useTheme } from '../state/theme.ts';
import { useView } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceField } from '../ui/field.tsx';

const THEMES = [
  { value: 'system', title: 'As the system' },
  { value: 'light', title: 'Light' },
  { value: 'dark', title: 'Dark' },
] as const;

/** What is kept in this browser alone. */
export function LookSection() {
  const { theme } = useTheme();
  const welcomed = useView((view) => view.welcomed);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ChoiceField label="Theme" choices={THEMES} value={theme} onChoose={(value) => setTheme(value as Theme)} />
      <Button onClick={() => useOverlays.setState({ help: true })}>All keys</Button>
      {welcomed && <Button onClick={() => useView.setState({ welcomed: false })}>Show the welcome again</Button>}
    </div>
  );
}
