import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { project } from '../scripts/installed-packages.ts';

const execute = promisify(execFile);
const folder = join(project, 'examples');

/** Runs an example, with a time limit. */
const run = (name: string) => execute(process.execPath, [name], { cwd: folder, timeout: 50_000 });

/** Examples import the built packages, as users do; `npm test` builds before it tests. */
describe('examples', () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith('.mjs')))('%s runs', async (name) => {
    const { stdout, stderr } = await run(name);
    expect(stderr).toBe('');
    expect(stdout).not.toBe('');
  });

  it('the round trip keeps every byte and names every loss', async () => {
    const { stdout } = await run('round-trip.mjs');
    expect(stdout).toContain('every byte of it is in the request.');
    expect(stdout).toContain('dropped (message 1 content[0]): reasoning is only for the provider that made it');
    expect(stdout).toContain('synthesised (message 1): a call without a result');
  });

  it('the forest keeps every branch, and what was sent', async () => {
    const { stdout } = await run('forest.mjs');
    expect(stdout).toMatch(/Oslo\.[\s\S]*Bergen![\s\S]*Tromsø/);
    expect(stdout).toContain('Both branches share 1 message');
    expect(stdout).toContain('After a restart: "Holidays", 3 messages');
  });

  it('what a program says is recorded without its key, and replayed', async () => {
    const { stdout } = await run('record.mjs');
    expect(stdout).toContain('user: Hello | assistant: Hello to you. | user: And now? | assistant: Still here.');
    expect(stdout).toContain('the key in none of them: true');
    expect(stdout).toContain('Replayed, with the provider gone: Hello to you.');
  });

  it('a server records what goes through its proxy', async () => {
    const { stdout } = await run('serve.mjs');
    expect(stdout).toContain('Answer: Hello from the other side.');
    expect(stdout).toContain('Recorded: user, assistant');
  });

  it('the chat keeps its state, and says what it cannot use', async () => {
    const { stdout } = await run('chat.mjs');
    expect(stdout).toContain('Answer: It opens at ten.');
    expect(stdout).toContain('Discarded: unsupported_state_version {"version":99}');
    expect(stdout).toContain('the system changed, from system message 0 on');
  });

  it('the builder asks, goes on, and moves to another provider', async () => {
    const { stdout } = await run('builder.mjs');
    expect(stdout).toContain('Prompt: Echo of the mountains');
    expect(stdout).toContain('assistant: Cold, but clear.');
    expect(stdout).toContain("Object: { city: 'Oslo', celsius: 4 }");
    expect(stdout).toContain('Elsewhere: Echo: Goodbye');
  });

  it('an import is done once however often, and segments keep ids', async () => {
    const { stdout } = await run('import-export.mjs');
    expect(stdout).toContain('Imported 3 messages; new: 3');
    expect(stdout).toContain('Left out element 1');
    expect(stdout).toContain('Imported again; new: 0');
    expect(stdout).toContain('The copy has the same ids.');
  });

  it('lists keep their texts', async () => {
    const { stdout } = await run('message-list.mjs');
    expect(stdout).toContain('tool: The station did not answer');
    expect(stdout).toContain('Every text is as it was.');
    expect(stdout).toContain('Kept: {"role":"assistant","content":"Hello","x_new":1.0}');
  });
});
