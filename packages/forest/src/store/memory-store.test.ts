import { describe, test } from 'vitest';
import { storeConformance } from '../testing.ts';
import { memoryStore } from './memory-store.ts';

describe('the memory store', () => {
  test.each(storeConformance('memory', async () => ({ store: memoryStore() }), false))('$name', ({ run }) => run());
});
