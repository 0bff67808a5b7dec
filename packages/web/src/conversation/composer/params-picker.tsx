import { SlidersHorizontal } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { useSettings } from './use-settings.ts';

const EFFORTS = ['minimal', 'low', 'medium', 'high'] as const;

/** How it is asked; what is left empty is up to the provider. */
export function ParamsPicker() {
  const { params, choose } = useSettings();
  const set = (name: string, value: unknown) => {
    const { [name]: _before, ...rest } = params;
    choose({ params: value === undefined ? rest : { ...rest, [name]: value } });
  };
  const effort = (params.reasoning as { effort?: string } | undefined)?.effort ?? '';
  const count = Object.keys(params).length;
  return (
    <Popover
      side="top"
      label="Parameters"
      trigger={
        <Button small look="quiet" aria-label={`Parameters: ${count} set`} className={count > 0 ? 'text-accent!' : ''}>
          <SlidersHorizontal size={14} aria-hidden /> {count > 0 && count}
        </Button>
      }
    >
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-xs font-medium text-soft">Parameters; empty is the provider’s own</legend>
        <NumberField
          label="Temperature"
          step={0.1}
          min={0}
          max={2}
          value={params.temperature}
          onChange={(value) => set('temperature', value)}
        />
        <NumberField
          label="Most tokens"
          step={1}
          min={1}
          value={params.maxTokens}
          onChange={(value) => set('maxTokens', value)}
        />
        <label className="flex items-center justify-between gap-2">
          Reasoning effort
          <select
            value={effort}
            onChange={(event) =>
              set('reasoning', event.target.value === '' ? undefined : { effort: event.target.value })
            }
            className="h-8 w-32 rounded-md border border-line bg-page px-2"
          >
            <option value="">as it comes</option>
            {EFFORTS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </fieldset>
    </Popover>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: unknown;
  readonly step: number;
  readonly min: number;
  readonly max?: number;
  readonly onChange: (value: number | undefined) => void;
}

function NumberField({ label, value, onChange, ...limits }: NumberFieldProps) {
  return (
    <label className="flex items-center justify-between gap-2">
      {label}
      <input
        type="number"
        {...limits}
        value={typeof value === 'number' ? value : ''}
        onChange={({ target }) =>
          onChange(target.value === '' || !target.validity.valid ? undefined : target.valueAsNumber)
        }
        className="h-8 w-32 rounded-md border border-line bg-page px-2"
      />
    </label>
  );
}
