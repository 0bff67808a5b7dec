import { Empty } from '../ui/states.tsx';

export default function CompareScreen() {
  return <Empty title="Compare" />;
}
