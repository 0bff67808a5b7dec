import { Star } from 'lucide-react';
import { useId } from 'react';
import { Button } from './button.tsx';
import { counted } from './format.ts';

export interface StarsProps {
  readonly rating: number | undefined;
  readonly onRate: (rating: number | undefined) => void;
}

/** One to five. */
export function Stars({ rating, onRate }: StarsProps) {
  const group = useId();
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-xs font-medium text-soft">Rating</legend>
      <div className="flex items-center gap-1">
        {[1, 2, 3, 4, 5].map((stars) => (
          <label
            key={stars}
            className="cursor-pointer rounded p-1 has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={group}
              className="sr-only"
              aria-label={counted(stars, 'star')}
              checked={rating === stars}
              onChange={() => onRate(stars)}
            />
            <Star
              size={18}
              aria-hidden
              className={rating !== undefined && rating >= stars ? 'fill-warn text-warn' : 'text-faint'}
            />
          </label>
        ))}
        {rating !== undefined && (
          <Button small look="quiet" onClick={() => onRate(undefined)}>
            No rating
          </Button>
        )}
      </div>
    </fieldset>
  );
}
