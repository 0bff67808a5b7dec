import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createForest, type Forest } from '../forest/index.ts';
import { findKeys } from '../formats/session-logs/keys-in-logs.ts';
import { packBytes } from '../model/records.ts';
import { describeRequest } from '../record/describe-request.ts';
import { type Exchange, exchangeRecord, requestPart, responsePart } from '../record/exchange.ts';
import { type ListedExchange, listExchanges, readRecorded } from '../record/index.ts';
import { memoryStore } from '../store/index.ts';
import { CassetteError } from './cassette-error.ts';
import { type CassetteFile, fromCassetteBody, parseCassette, printCassette, toCassetteBody } from './cassette-file.ts';
import { type IgnoreRule, readPath } from './ignore-rules.ts';

/** A folder of recorded exchanges, one file each, and the rules for comparing requests with them. */
export interface CassetteFolder {
  /** The recordings, in memory. What is recorded here is written to the folder by `save`. */
  readonly forest: Forest;
  readonly ignore: readonly IgnoreRule[];
  /** The file of each exchange, by the exchange's id. */
  readonly files: ReadonlyMap<string, string>;
  /** Writes the exchanges that have no file yet, and returns the new files. */
  save(): Promise<readonly string[]>;
}

/** Options of `openCassettes`. */
export interface CassetteOptions {
  /** Texts that must not be in a cassette, beside everything that looks like a key. */
  readonly secrets?: readonly string[];
}

/** The file with the rules of a folder of cassettes. */
const RULES_FILE = 'ignore.json';

/**
 * Opens a folder of cassettes; one that is not there is empty. Throws a `CassetteError` that names the file and the line
 * if one cannot be read.
 *
 * @example
 * const { forest, ignore } = openCassettes('cassettes');
 * const replayer = createReplayer(forest, { ignore });
 */
export async function openCassettes(folder: string, options: CassetteOptions = {}): Promise<CassetteFolder> {
  const forest = createForest(memoryStore());
  const files = new Map<string, string>();
  const names = existsSync(folder) ? readdirSync(folder).filter(isCassetteName).sort() : [];
  for (const [index, name] of names.entries()) {
    // The exchange has the name of its file, which a miss names as the nearest.
    await loadFile(forest, folder, name, index);
    files.set(name, name);
  }
  return {
    forest,
    ignore: readIgnoreRules(folder),
    files,
    save: () => saveCassettes(forest, folder, options, files),
  };
}

/**
 * Writes the exchanges of a forest as cassettes, and returns the names of the new files. `files` has those that are written
 * already, by the ids of their exchanges.
 *
 * @example
 * await saveCassettes(forest, 'cassettes');
 */
export async function saveCassettes(
  forest: Forest,
  folder: string,
  options: CassetteOptions = {},
  files = new Map<string, string>(),
): Promise<readonly string[]> {
  const written: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await listExchanges(forest, { limit: 100, ...(after !== undefined && { after }) });
    for (const exchange of page.items) {
      if (files.has(exchange.id) || exchange.outcome === 'open') continue;
      const name = await writeFile(forest, folder, exchange, files.size + 1, options);
      files.set(exchange.id, name);
      written.push(name);
    }
    if (page.next === undefined) return written;
    after = page.next;
  }
}

function isCassetteName(name: string): boolean {
  return /^\d+-.*\.json$/.test(name);
}

async function loadFile(forest: Forest, folder: string, id: string, index: number): Promise<void> {
  const path = join(folder, id);
  const file = parseCassette(readFileSync(path, 'utf8'), path);
  const read = (beside: string) => readBeside(folder, path, beside);
  const body = fromCassetteBody(file.request, read);
  const { exchange, hashes } = describeRequest(
    {
      method: file.request.method,
      url: file.request.url,
      headers: Object.entries(file.request.headers ?? {}),
      ...(body && { body }),
      ...(file.provider !== undefined && { provider: file.provider }),
      ...(file.tags && { tags: file.tags }),
    },
    { id, start: index, writer: 'cassette' },
  );
  const { status, headers = {}, outcome, error } = file.response;
  const known = {
    ...exchange,
    ...hashes(),
    outcome: outcome as Exchange['outcome'],
    ...(status !== undefined && { status, responseHeaders: headers, firstByte: index, end: index }),
    ...(error !== undefined && { error }),
  };
  const answer = fromCassetteBody(file.response, read);
  const clock = forest.clock.tick();
  await forest.store.append([
    exchangeRecord(known, clock),
    ...(body ? [requestPart(id, packBytes(body), clock)] : []),
    ...(answer ? [responsePart(id, 0, packBytes(answer), clock, index)] : []),
  ]);
}

function readBeside(folder: string, path: string, name: string): Uint8Array {
  if (basename(name) !== name)
    throw new CassetteError('unreadable_cassette', `${path}:1 names a file outside of its folder: ${name}`);
  try {
    return readFileSync(join(folder, name));
  } catch {
    throw new CassetteError('unreadable_cassette', `${path}:1 needs ${name} beside it, which cannot be read.`);
  }
}

async function writeFile(
  forest: Forest,
  folder: string,
  exchange: ListedExchange,
  number: number,
  options: CassetteOptions,
): Promise<string> {
  const recorded = (await readRecorded(forest, exchange.id))!;
  const word = (text: string) => text.replace(/[^\w.-]+/g, '-').slice(0, 60);
  const stem = `${String(number).padStart(4, '0')}-${word(exchange.model ?? exchange.path.split('/').at(-1) ?? 'exchange')}`;
  const beside = new Map<string, Uint8Array>();
  const { method, host, path, query, requestHeaders, responseHeaders, status, outcome, error, provider, tags } =
    exchange;
  const file: CassetteFile = {
    cassette: 1,
    request: {
      method,
      url: `https://${host}${path}${query === '' ? '' : `?${query}`}`,
      headers: keepHeaders(requestHeaders),
      ...toCassetteBody(recorded.request, `${stem}.request`, beside),
    },
    response: {
      ...(status !== undefined && { status, headers: keepHeaders(responseHeaders ?? {}) }),
      outcome,
      ...(error !== undefined && { error }),
      ...toCassetteBody(recorded.response, `${stem}.response`, beside),
    },
    ...(provider !== undefined && { provider }),
    ...(tags.length > 0 && { tags }),
  };
  const name = `${stem}.json`;
  const all = new Map<string, Uint8Array>([...beside, [name, Buffer.from(printCassette(file))]]);
  for (const [one, bytes] of all) refuseSecrets(join(folder, one), Buffer.from(bytes).toString('utf8'), options);
  mkdirSync(folder, { recursive: true });
  for (const [one, bytes] of all) writeWhole(join(folder, one), bytes);
  return name;
}

/** Headers that differ in every run say nothing of a request, and would fill every diff. */
const NOISE =
  /^(?:date|cf-ray|.*request-?id|x-amzn-requestid|.*ratelimit.*|openai-processing-ms|user-agent|x-stainless-.*)$/;

function keepHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !NOISE.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function refuseSecrets(path: string, text: string, { secrets = [] }: CassetteOptions): void {
  const [key] = findKeys(text);
  if (key)
    throw new CassetteError(
      'secret_in_cassette',
      `${path} was not written: line ${key.line} would contain ${key.kind}. Remove it from what the program sends.`,
    );
  const at = secrets
    .filter(({ length }) => length > 0)
    .map((secret) => text.indexOf(secret))
    .find((index) => index >= 0);
  if (at === undefined) return;
  const line = text.slice(0, at).split('\n').length;
  throw new CassetteError(
    'secret_in_cassette',
    `${path} was not written: line ${line} would contain a declared secret.`,
  );
}

function writeWhole(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.tmp`, bytes);
  renameSync(`${path}.tmp`, path);
}

/** The rules of a folder of cassettes; none if it has no file with rules. */
function readIgnoreRules(folder: string): readonly IgnoreRule[] {
  const path = join(folder, RULES_FILE);
  if (!existsSync(path)) return [];
  const wrong = (what: string) => new CassetteError('unreadable_cassette', `${path}:1 ${what}`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw wrong(`is no JSON: ${(error as Error).message}`);
  }
  const rules = (value as { ignore?: unknown } | null)?.ignore;
  if (!Array.isArray(rules)) throw wrong('needs "ignore", a list of rules such as { "path": "metadata.user_id" }.');
  checkRules(rules as IgnoreRule[], wrong);
  return rules as IgnoreRule[];
}

function checkRules(rules: readonly IgnoreRule[], wrong: (what: string) => CassetteError): void {
  for (const { path, match } of rules) {
    try {
      readPath(path);
      if (match !== undefined) new RegExp(match);
    } catch (error) {
      throw wrong(`has a rule that cannot be used: ${(error as Error).message}`);
    }
  }
}

/**
 * Adds rules to those of a folder of cassettes. Throws a `CassetteError`, and writes nothing, if one cannot be used.
 *
 * @example
 * addIgnoreRules('cassettes', [{ path: 'metadata.user_id' }]);
 */
export function addIgnoreRules(folder: string, rules: readonly IgnoreRule[]): void {
  const path = join(folder, RULES_FILE);
  checkRules(rules, (what) => new CassetteError('unreadable_cassette', `${path} was not written: it ${what}`));
  const all = [...readIgnoreRules(folder), ...rules];
  const distinct = new Map(all.map((rule) => [JSON.stringify([rule.path, rule.match]), rule]));
  mkdirSync(folder, { recursive: true });
  writeWhole(path, Buffer.from(`${JSON.stringify({ ignore: [...distinct.values()] }, null, 2)}\n`));
}

/**
 * Removes the cassettes of a folder, but not its rules.
 *
 * @example
 * removeCassettes('cassettes');
 */
export function removeCassettes(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (/^\d+-.*\.(?:json|request|response)$/.test(name)) rmSync(join(folder, name));
}
