import type { ContextChange } from '@skein/forest';
import type { Redact } from '@skein/server';
import { colors, counted, harmless, oneLine } from './output.ts';

/** Where a conversation was sent with something else than before, in lines that stand above the reply. */
export function changeLines({ system, tools, compacted }: ContextChange, redact: Redact): string[] {
  return [
    ...(system ? [mark('the system text changed'), ...difference(redact(system.before), redact(system.after))] : []),
    ...(tools ? [mark(toolsText(tools))] : []),
    ...(compacted ? [mark(compactedText(compacted)), ...quoted(redact(compacted.replacement))] : []),
  ];
}

/** The same in a few words. */
export function changeText({ system, tools, compacted }: ContextChange): string {
  return [
    ...(system ? ['the system text changed'] : []),
    ...(tools ? [toolsText(tools)] : []),
    ...(compacted ? [compactedText(compacted)] : []),
  ].join('; ');
}

const mark = (text: string) => colors.yellow(`~ ${text}`);

function compactedText({ messages }: NonNullable<ContextChange['compacted']>): string {
  return `a checkpoint was sent in place of the first ${counted(messages, 'message')}`;
}

function toolsText({ before, after }: NonNullable<ContextChange['tools']>): string {
  const [old, now] = [namesIn(before), namesIn(after)];
  const added = [...now].filter((name) => !old.has(name));
  const gone = [...old].filter((name) => !now.has(name));
  const facts = [
    ...(added.length > 0 ? [`with ${added.join(', ')}`] : []),
    ...(gone.length > 0 ? [`without ${gone.join(', ')}`] : []),
  ];
  return oneLine(`the tools changed${facts.length > 0 ? `: now ${facts.join(', ')}` : ''}`, 200);
}

/** Of a JSON array of definitions; those in a vendor's own form have no name that is known here. */
function namesIn(text: string): ReadonlySet<string> {
  const list: unknown = text === '' ? [] : JSON.parse(text);
  const all: readonly { readonly name?: unknown }[] = Array.isArray(list) ? list : [];
  return new Set(all.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])));
}

/** Lines that only one of the two texts has. */
function difference(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => line !== '' && !now.includes(line)).map((line) => colors.red(`  - ${harmless(line)}`)),
    ...now.filter((line) => line !== '' && !old.includes(line)).map((line) => colors.green(`  + ${harmless(line)}`)),
  ];
}

function quoted(text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => colors.dim(`  ${harmless(line)}`));
}
