import { readFileSync } from 'node:fs';
import { createJudge, type ForestNode, type RerunAnswer, rerunThreads } from '@skein/forest';
import { withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import { findModel, openEngine, openModelAccess, priceLookup } from '../context/model-access.ts';
import {
  colors,
  note,
  oneLine,
  progressLine,
  say,
  sayJson,
  shortId,
  toPrintable,
  UsageError,
} from '../output/output.ts';
import { priceText } from '../output/usage-text.ts';
import type { ForestFlags } from './forest-command.ts';

interface RerunFlags extends ForestFlags {
  readonly model: readonly string[];
  readonly answers: number;
  readonly check?: string;
  readonly schema?: string;
  readonly judge?: string;
  readonly rubric: string;
  readonly maxCost?: number;
}

/** `skein rerun`: other models answer the last question of conversations; a table compares their answers. */
export async function rerun(ids: readonly string[], options: RerunFlags): Promise<void> {
  const { json, model: names, answers: n, maxCost, judge, ...flags } = options;
  if (maxCost !== undefined && !(maxCost > 0)) throw new UsageError('--max-cost takes dollars, such as 0.50.');
  const check = await readCheck(options);
  await withForest(flags, async ({ config, forest, redact }) => {
    const models = names.map((name) => findModel(name, config));
    const judging = judge === undefined ? undefined : findModel(judge, config);
    const threads: string[] = [];
    for (const id of ids) {
      const { thread } = await locate(forest, id);
      if (!thread) throw new UsageError(`"${id}" is a node. "skein rerun" takes threads: "skein threads" lists them.`);
      threads.push(thread.id);
    }
    const needed = [...models, ...(judging ? [judging] : [])].map(({ provider }) => provider);
    const access = await openModelAccess(config, needed);
    try {
      const engine = await openEngine(forest, access);
      const stop = new AbortController();
      process.once('SIGINT', () => stop.abort());
      const rows: RerunAnswer[] = [];
      const total = threads.length * models.length * n;
      const progress = progressLine();
      for await (const row of rerunThreads(forest, engine, {
        ...{ threads, models, n, signal: stop.signal },
        ...(maxCost !== undefined && { maxCost }),
        ...(check && { check }),
        ...(judging && {
          judge: createJudge({
            model: judging,
            rubric: options.rubric,
            env: access.env,
            costOf: await priceLookup(access),
          }),
        }),
      })) {
        rows.push(row);
        progress.tell(`${rows.length} of ${total} answers`, rows.length / total);
        if (!json) progress.end();
        if (!json) sayAnswer(row);
      }
      progress.end();
      if (rows.some(({ status, passed }) => status !== 'done' || passed === false)) process.exitCode = 1;
      if (json) return sayJson(redact({ answers: rows }));
      const open = total - rows.length;
      if (open > 0)
        note(
          `${open} answers are missing: the limit of cost was reached, or it was stopped. The same command goes on.`,
        );
      else note(`"skein tree ${shortId(threads[0]!)}" shows the answers beside the originals.`);
    } finally {
      await access.close();
    }
  });
}

/** A check by an expression of the person who runs the command, on `text`, `json`, `toolCalls` and `usage` of the answer. */
async function readCheck({ check, schema }: RerunFlags): Promise<((answer: ForestNode) => boolean) | undefined> {
  if (check === undefined && schema === undefined) return undefined;
  const evaluate = check === undefined ? () => true : compile(check);
  const fits = schema === undefined ? () => true : await schemaCheck(schema);
  return (answer) => fits(answer) && evaluate(answer);
}

function compile(expression: string): (answer: ForestNode) => boolean {
  let evaluate: (...args: readonly unknown[]) => unknown;
  try {
    evaluate = new Function('text', 'json', 'toolCalls', 'usage', `return (${expression});`) as typeof evaluate;
  } catch (error) {
    throw new UsageError(`--check is no JavaScript expression: ${(error as Error).message}`);
  }
  return ({ message, takes }) => {
    try {
      return Boolean(evaluate(message.text, parse(message.text), message.toolUses, takes.at(-1)?.usage));
    } catch {
      return false;
    }
  };
}

async function schemaCheck(file: string): Promise<(answer: ForestNode) => boolean> {
  const { Validator } = await import('@cfworker/json-schema');
  let validator: InstanceType<typeof Validator>;
  try {
    validator = new Validator(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new UsageError(`${file} is no JSON Schema: ${(error as Error).message}`);
  }
  return ({ message }) => {
    const value = parse(message.text);
    // The validator throws for what JSON does not have.
    return value !== undefined && validator.validate(value).valid;
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sayAnswer({
  thread,
  model,
  node,
  status,
  cost,
  durationMs,
  characters,
  toolCalls,
  differs,
  difference,
  passed,
  rating,
  isKept,
  error,
}: RerunAnswer) {
  const facts = [
    node === undefined ? colors.red(status) : shortId(node),
    priceText(cost),
    ...(durationMs === undefined ? [] : [`${(durationMs / 1000).toFixed(1)} s`]),
    `${characters} characters`,
    ...(toolCalls > 0 ? [`${toolCalls} tool calls`] : []),
    differs ? 'differs' : 'same answer',
    ...(passed === undefined ? [] : [passed ? colors.green('passed') : colors.red('failed')]),
    ...(rating === undefined ? [] : [`rated ${rating}`]),
    ...(isKept ? ['from an earlier run'] : []),
  ];
  say(`${colors.yellow(shortId(thread))}  ${toPrintable(model).padEnd(32)}  ${facts.join(' · ')}`);
  if (difference) {
    const [before, after] = [difference.original, difference.answer].map((text) => oneLine(text, 100) || '(ends)');
    say(`  ${colors.dim(`from character ${difference.at + 1}: ${before} became ${after}`)}`);
  }
  if (error !== undefined) note(`  ${oneLine(error, 160)}`);
}
