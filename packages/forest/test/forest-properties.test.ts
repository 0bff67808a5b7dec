import { memoryStore } from '../src/index.ts';
import { forestProperties } from './forest-properties.ts';

forestProperties('memory', async () => memoryStore(), 150);
