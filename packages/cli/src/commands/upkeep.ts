import { type CompactionCount, forgetOld, isOlderLayout, verifyOlder } from '@skein/forest';
import type { Command } from 'commander';
import { withForest } from '../context/command-context.ts';
import { counted, say, sayJson, toPrintable, warn } from '../output/output.ts';
import { progressLine, withProgress } from '../output/progress.ts';
import { type ForestFlags, jsonCommand } from './forest-command.ts';

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('check a folder of the older layout without changing it')
    .argument('<folder>')
    .option('--json', 'one JSON document, for programs')
    .action(verify);
}

async function verify(folder: string, { json }: { readonly json?: boolean }): Promise<void> {
  if (!(await isOlderLayout(folder)))
    throw new Error(`${folder} is not a folder of the older layout. For a forest, use: skein fsck --store ${folder}`);
  const progress = progressLine();
  const { problems, ...counts } = await verifyOlder(folder, {
    onProgress: (read) => progress.tell(`${read} files`),
  }).finally(progress.end);
  const summary = `${counted(counts.read, 'message')} read, ${counts.converted} would be converted, ${counts.unreadable} cannot be read.`;
  sayProblems(problems, counts, summary, json === true);
}

/** `fsck`, `gc` and `pack`. */
export function addUpkeep(program: Command): void {
  jsonCommand(program, 'fsck', 'check every stored hash, parent and text').action(fsck);
  jsonCommand(
    program,
    'gc',
    'delete for good what was removed or is older than the retention; no other process may use the forest',
  ).action((flags: ForestFlags) => compact('gc', flags));
  jsonCommand(
    program,
    'pack',
    'rewrite the segment files without superseded records, to save disk space; no other process may use the forest',
  ).action((flags: ForestFlags) => compact('pack', flags));
}

async function fsck({ json, ...flags }: ForestFlags): Promise<void> {
  await withForest(flags, async ({ forest }) => {
    const problems = await withProgress('Checking', () => forest.fsck());
    const summary = problems.length === 0 ? 'All is well.' : `${counted(problems.length, 'problem')}.`;
    sayProblems(problems, {}, summary, json === true);
  });
}

async function compact(how: 'gc' | 'pack', { json, ...flags }: ForestFlags): Promise<void> {
  await withForest(flags, async ({ forest, config }) => {
    const counts: CompactionCount = await withProgress('Rewriting', () =>
      how === 'gc' ? forgetOld(forest, config.retention) : forest.pack(),
    );
    if (json) sayJson(counts);
    else say(`${counted(counts.kept, 'record')} kept, ${counts.removed} removed.`);
    for (const path of counts.setAside ?? []) warn(`A file with damage was set aside: ${path}`);
  });
}

interface Finding {
  readonly code: string;
  readonly where: string;
  readonly message: string;
}

/** What a check found. Anything found makes the command fail, so that scripts notice. */
function sayProblems(problems: readonly Finding[], facts: object, summary: string, json: boolean): void {
  if (json) sayJson({ ok: problems.length === 0, ...facts, problems });
  else {
    for (const { code, where, message } of problems) say(toPrintable(`${where}: ${message} (${code})`));
    say(summary);
  }
  if (problems.length > 0) process.exitCode = 1;
}
