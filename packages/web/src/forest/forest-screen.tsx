import { Empty } from '../ui/states.tsx';

export function ForestScreen() {
  return <Empty title="Forest" />;
}
