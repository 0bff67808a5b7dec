import { useModel } from '../state/model.ts';
import { openPalette } from '../state/overlays.ts';
import { providerColor } from '../ui/format.ts';
import { Tip } from '../ui/tip.tsx';

const DOTS = { anthropic: 'bg-anthropic', openai: 'bg-openai', google: 'bg-google', provider: 'bg-provider' } as const;

/** The model that the next message is for. */
export function ModelButton() {
  const id = useModel();
  const [provider, ...name] = (id ?? '').split('/');
  return (
    <Tip label="The model that is asked next" keys="Ctrl+m">
      <button
        type="button"
        aria-label={id === undefined ? undefined : `Asked next: ${id}`}
        onClick={() => openPalette('models')}
        className="flex h-7 max-w-44 min-w-0 items-center gap-1.5 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-ink max-md:hidden"
      >
        <span aria-hidden className={`size-2 shrink-0 rounded-full ${DOTS[providerColor(provider)]}`} />
        <span className="truncate">{id === undefined ? 'Choose a model' : name.join('/') || id}</span>
      </button>
    </Tip>
  );
}
