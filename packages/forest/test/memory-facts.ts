import type { FactStore, FactVersion } from '../src/store/store.ts';

/** Facts in memory, for stores that end with their process. */
export function memoryFacts(): FactStore {
  let current: FactVersion | undefined;
  const facts = new Map<string, string>();
  return {
    version: async () => current,
    read: async (keys) => ({ version: current?.version, values: keys.map((key) => facts.get(key)) }),
    async write(from, to, values) {
      if (current?.version !== from) return false;
      current = to;
      for (const [key, value] of values)
        if (value === undefined) facts.delete(key);
        else facts.set(key, value);
      return true;
    },
    async clear() {
      current = undefined;
      facts.clear();
    },
  };
}
