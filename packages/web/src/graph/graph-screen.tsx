import { Empty } from '../ui/states.tsx';

export default function GraphScreen({ below }: { readonly below?: string }) {
  return <Empty title={`Graph ${below ?? ''}`} />;
}
