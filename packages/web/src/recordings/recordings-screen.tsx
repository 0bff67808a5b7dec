import { Empty } from '../ui/states.tsx';

export default function RecordingsScreen({ id }: { readonly id?: string }) {
  return <Empty title={`Recordings ${id ?? ''}`} />;
}
