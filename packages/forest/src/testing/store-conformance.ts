import type { Store } from '../store/index.ts';
import { changeCases } from './change-cases.ts';
import type { StoreCase } from './check.ts';
import { forestCases, sharedForestCases } from './forest-cases.ts';
import { listCases } from './list-cases.ts';
import { matchCases } from './match-cases.ts';
import { recordCases } from './record-cases.ts';
import { searchCases } from './search-cases.ts';
import { sharedCases } from './shared-cases.ts';
import { treeCases } from './tree-cases.ts';

/** An empty store, and how to get at the same data once more. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Opens another store on the same data. Left out where data belongs to one store alone. */
  again?(): Promise<Store>;
  /** Called at the end, when `store` and what `again` gave have been closed. */
  end?(): Promise<void>;
}

/** What every store promises, ours and others'. Run each case in the test runner of your choice. */
export function storeConformance(name: string, open: () => Promise<StoreUnderTest>, shared = true): StoreCase[] {
  const single = {
    ...recordCases,
    ...treeCases,
    ...matchCases,
    ...listCases,
    ...searchCases,
    ...changeCases,
    ...forestCases,
  };
  return Object.entries({ ...single, ...(shared && { ...sharedCases, ...sharedForestCases }) }).map(
    ([title, check]) => ({
      name: `${name}: ${title}`,
      async run() {
        const { store, again, end } = await open();
        const opened = [store];
        try {
          await check(store, async () => {
            if (!again) throw new Error('This store cannot be opened twice: leave the shared cases out');
            const other = await again();
            opened.push(other);
            return other;
          });
        } finally {
          for (const one of opened) await one.close();
          await end?.();
        }
      },
    }),
  );
}
