import { Empty } from '../ui/states.tsx';

export default function SettingsScreen() {
  return <Empty title="Settings" />;
}
