import { useView } from '../state/view.ts';
import { Resizer } from '../ui/resizer.tsx';
import { SideContent } from './side-content.tsx';

const LEAST = 200;
const MOST = 480;

/** The forest at a glance, beside every screen. */
export function SideBar() {
  const width = useView((view) => view.forestWidth);
  return (
    <nav aria-label="Forest" className="flex shrink-0">
      <div className="flex flex-col bg-page" style={{ width }}>
        <SideContent />
      </div>
      <Resizer
        label="Width of the forest"
        width={width}
        least={LEAST}
        most={MOST}
        of="left"
        onResize={(forestWidth) => useView.setState({ forestWidth })}
      />
    </nav>
  );
}
