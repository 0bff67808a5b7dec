import { ChevronDown } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useModel } from '../../state/model.ts';
import { useView } from '../../state/view.ts';
import { Button } from '../../ui/button.tsx';
import { providerColor } from '../../ui/format.ts';
import { Popover } from '../../ui/popover.tsx';
import { PROVIDER_COLORS } from '../author.ts';

const ModelList = lazy(() => import('./model-list.tsx'));

/** Which model answers next. */
export function ModelPicker() {
  const [isOpen, setOpen] = useState(false);
  const model = useModel();
  const chosen = useView((view) => view.model);
  const choose = (id: string | undefined) => {
    useView.setState({ model: id });
    setOpen(false);
  };
  const [provider, ...rest] = (model ?? '').split('/');
  return (
    <Popover
      side="top"
      label="Model"
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button small look="quiet" aria-label={`Model: ${model ?? 'none'}`} className="max-w-56 min-w-0">
          <span className={`truncate ${PROVIDER_COLORS[providerColor(provider)]}`}>
            {rest.join('/') || model || 'Choose a model'}
          </span>
          <ChevronDown size={12} aria-hidden className="shrink-0" />
        </Button>
      }
    >
      <Suspense fallback={<p className="text-xs text-faint">Loading …</p>}>
        <ModelList chosen={chosen} onChoose={choose} />
      </Suspense>
    </Popover>
  );
}
