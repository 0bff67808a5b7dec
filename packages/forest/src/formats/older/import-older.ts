import type { Forest } from '../../forest/types.ts';
import type { Imported, ImportOptions } from '../types.ts';
export async function importOlder(_f: Forest, _p: string, _o: ImportOptions): Promise<Imported> {
  throw new Error('x');
}
