import { isOlderLayout, verifyOlder } from '@skein/forest';
import type { Command } from 'commander';
import { counted } from '../output/output.ts';
import { progressLine } from '../output/progress.ts';
import { sayProblems } from '../output/say-problems.ts';

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('read a folder of the older layout as opening it would, and write nothing')
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
