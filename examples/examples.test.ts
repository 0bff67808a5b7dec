import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('.', import.meta.url));

/** Examples import the built packages, as users do; `npm test` builds before it tests. */
describe('examples', () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith('.mjs')))('%s runs', async (name) => {
    const { stdout, stderr } = await run(process.execPath, [name], { cwd: folder });
    expect(stderr).toBe('');
    expect(stdout).not.toBe('');
  });

  it('the round trip keeps every byte and names every loss', async () => {
    const { stdout } = await run(process.execPath, ['round-trip.mjs'], { cwd: folder });
    expect(stdout).toContain('every byte of it is in the request.');
    expect(stdout).toContain('dropped (message 1 content[0]): reasoning is only for the provider that made it');
    expect(stdout).toContain('synthesised (message 1): a call without a result');
  });
});
