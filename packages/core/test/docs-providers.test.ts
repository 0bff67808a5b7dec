import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { providers } from '../src/index.ts';
import { RECORDED } from './corpus/recorded-providers.ts';

const page = readFileSync(new URL('../../../docs/providers.md', import.meta.url), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| `'));

describe.each(providers())('docs/providers.md on $id', ({ id, aliases = [], dialect, connection }) => {
  const row = rows.find((line) => line.startsWith(`| \`${id}\``)) ?? '';

  it('names its dialect and its variables', () => {
    for (const word of [...aliases, dialect, ...connection!.keyVariables, ...connection!.baseUrlVariables])
      expect(row).toContain(`\`${word}\``);
    expect(row.includes('not needed')).toBe(connection!.needsKey === false);
  });

  it('says whether recordings have shown it', () => {
    const recorded = RECORDED.some(([name]) => name === id);
    expect(row).toContain(recorded ? '| recordings |' : '| data only |');
  });
});
