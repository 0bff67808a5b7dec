import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  addIgnoreRules,
  type CassetteMode,
  type CassetteSummary,
  compareBy,
  createForest,
  createReplayCounter,
  type Forest,
  learnIgnoreRules,
  listExchanges,
  memoryStore,
  openCassettes,
  readRecorded,
  removeCassettes,
  saveCassettes,
} from '@skein/forest';
import { missingKeys } from '../context/agent-programs.ts';
import { readConfig } from '../context/command-context.ts';
import { counted, note, oneLine, say, toPrintable, UsageError, warn } from '../output/output.ts';
import { runBehind } from './programs.ts';

interface TestOptions {
  readonly cassettes: string;
  readonly mode: CassetteMode;
  readonly junit?: string;
  readonly yes?: boolean;
}

/**
 * `skein test`: runs a program whose requests to models are answered from cassettes. A request without one fails the run,
 * whatever the program makes of the refusal.
 */
export async function testProgram(command: readonly string[], options: TestOptions): Promise<void> {
  const { cassettes: folder, mode, junit } = options;
  if (mode === 're-record') return recordAgain(command, options);
  const config = await readConfig({ store: 'memory' });
  const cassettes = await openCassettes(folder, { secrets: declaredSecrets(process.env) });
  const counter = createReplayCounter();
  await runBehind(command, {
    server: {
      forest: cassettes.forest,
      config,
      proxy: {
        mode: 'replay',
        onMiss: mode === 'record-missing' ? 'pass' : 'refuse',
        replayer: { compare: compareBy(cassettes), onReplay: counter.onReplay },
      },
    },
    part: 'proxy',
    // A replay needs no keys, but the SDKs do not start without one.
    keys: mode === 'replay' ? missingKeys(process.env) : {},
    isRecorded: false,
  });
  const summary = counter.summary(cassettes, await cassettes.save());
  saySummary(summary, folder);
  if (junit !== undefined) writeReport(junit, summary);
  if (summary.misses.length > 0) process.exitCode ||= 1;
}

/** `skein record --to`: runs a program and writes what it asked as cassettes. */
export async function recordCassettes(command: readonly string[], folder: string): Promise<void> {
  const cassettes = await openCassettes(folder, { secrets: declaredSecrets(process.env) });
  await recordInto(command, cassettes.forest);
  const written = await cassettes.save();
  note(
    `${counted(written.length, 'cassette')} ${written.length === 1 ? 'was' : 'were'} written to ${toPrintable(folder)}.`,
  );
}

async function recordInto(command: readonly string[], forest: Forest): Promise<void> {
  const config = await readConfig({ store: 'memory' });
  const server = { forest, config, proxy: { mode: 'record' as const } };
  await runBehind(command, { server, part: 'proxy', keys: {}, isRecorded: false });
}

/** Records everything again, shows what changed, and replaces the cassettes only where that was approved. */
async function recordAgain(command: readonly string[], { cassettes: folder, yes }: TestOptions): Promise<void> {
  const before = await openCassettes(folder);
  const forest = createForest(memoryStore());
  await recordInto(command, forest);
  const [old, fresh] = [await readBodies(before.forest), await readBodies(forest)];
  const rules = compareBy(before);
  const changes = Array.from({ length: Math.max(old.length, fresh.length) }, (_, at) => {
    const [was, is] = [old[at], fresh[at]];
    if (was === undefined) return `+ request ${at + 1} is new`;
    if (is === undefined) return `- request ${at + 1} is gone`;
    const parts = (['request', 'response'] as const).filter((part) => rules(was[part]).text !== rules(is[part]).text);
    const shown = parts.flatMap((part) => changedLines(rules(was[part]).text, rules(is[part]).text));
    return parts.length === 0 ? undefined : [`~ ${parts.join(' and ')} ${at + 1} changed`, ...shown].join('\n');
  }).filter((line) => line !== undefined);
  for (const line of changes) say(line);
  if (changes.length === 0) note('Nothing changed.');
  if (!yes) {
    note('The cassettes are as they were: add --yes to replace them.');
    process.exitCode ||= changes.length === 0 ? 0 : 1;
    return;
  }
  removeCassettes(folder);
  const written = await saveCassettes(forest, folder, { secrets: declaredSecrets(process.env) });
  note(`${counted(written.length, 'cassette')} written to ${toPrintable(folder)}.`);
}

/** How many lines of a change are shown. */
const MOST_LINES = 12;

/** The lines that differ between two bodies, without what is the same in front of them and behind them. */
function changedLines(before: string, after: string): string[] {
  const [a, b] = [before, after].map(toLines) as [string[], string[]];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const show = (sign: string, lines: readonly string[]) => [
    ...lines.slice(0, MOST_LINES).map((line) => `  ${sign} ${oneLine(line, 200)}`),
    ...(lines.length > MOST_LINES ? [`  ${sign} … and ${lines.length - MOST_LINES} more lines`] : []),
  ];
  return [...show('-', a.slice(start, a.length - end)), ...show('+', b.slice(start, b.length - end))];
}

function toLines(body: string): string[] {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).split('\n');
  } catch {
    return body.split('\n');
  }
}

async function readBodies(forest: Forest): Promise<readonly { readonly request: string; readonly response: string }[]> {
  const { items } = await listExchanges(forest, { limit: 10_000 });
  return Promise.all(
    items.map(async ({ id }) => {
      const recorded = await readRecorded(forest, id);
      const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('utf8');
      return { request: text(recorded?.request), response: text(recorded?.response) };
    }),
  );
}

/** `skein cassettes learn`: proposes rules for what differs between two recordings of the same run. */
export async function learnRules(
  what: string,
  first: string,
  second: string,
  { accept }: { readonly accept?: boolean },
): Promise<void> {
  if (what !== 'learn') throw new UsageError(`"${what}" is not something to do with cassettes: use learn.`);
  const [a, b] = await Promise.all(
    [first, second].map(async (folder) => readBodies((await openCassettes(folder)).forest)),
  );
  if (a!.length !== b!.length)
    throw new UsageError(
      `${first} has ${a!.length} cassettes and ${second} has ${b!.length}: both must be recordings of the same run.`,
    );
  const rules = learnIgnoreRules(a!.map(({ request }, at) => [request, b![at]!.request]));
  for (const rule of rules) say(JSON.stringify(rule));
  if (rules.length === 0) return note('Both recordings have the same requests: no rule is needed.');
  if (!accept)
    return note(
      `Add --accept to write ${rules.length === 1 ? 'this rule' : 'these rules'} to ${toPrintable(first)}/ignore.json.`,
    );
  addIgnoreRules(first, rules);
  note(`${counted(rules.length, 'rule')} written to ${toPrintable(first)}/ignore.json.`);
}

/** The values of variables that hold keys and tokens: they must not be in a cassette. */
function declaredSecrets(env: NodeJS.ProcessEnv): string[] {
  const isSecret = (name: string) => /(?:KEY|TOKEN|SECRET|PASSWORD)$/.test(name);
  return Object.entries(env).flatMap(([name, value]) => (isSecret(name) && value && value.length >= 8 ? [value] : []));
}

function saySummary({ hits, misses, ignored, unused, written }: CassetteSummary, folder: string): void {
  const parts = [counted(hits, 'hit'), counted(misses.length, 'miss', 'misses')];
  if (written.length > 0) parts.push(`${counted(written.length, 'cassette')} written`);
  note(`${parts.join(', ')}, ${counted(unused.length, 'cassette')} unused (${toPrintable(folder)}).`);
  for (const [rule, count] of ignored) note(`  ignored ${counted(count, 'time')}: ${toPrintable(rule)}`);
  for (const { message } of misses) {
    warn(toPrintable(message));
    if (process.env.GITHUB_ACTIONS === 'true')
      process.stderr.write(
        `::error title=No cassette answers::${message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}\n`,
      );
  }
  for (const name of unused) note(`  unused: ${toPrintable(name)}`);
}

/** A report in JUnit's form, one case for all hits and one for each miss. */
function writeReport(path: string, { hits, misses }: CassetteSummary): void {
  const toXml = (text: string) => text.replace(/[<>&"]/g, (one) => `&#${one.charCodeAt(0)};`).replace(/\p{Cc}/gu, ' ');
  const cases = [
    `  <testcase classname="skein" name="${counted(hits, 'request')} answered from cassettes"/>`,
    ...misses.map(
      ({ method, path: where, message }) =>
        `  <testcase classname="skein" name="${toXml(`${method} ${where}`)}"><failure message="${toXml(message)}"/></testcase>`,
    ),
  ];
  const head = `<testsuite name="skein" tests="${cases.length}" failures="${misses.length}">`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${cases.join('\n')}\n</testsuite>\n`);
}
