import { isObject, JsonTextError, parseJson } from '../../json/index.ts';
import type { Content, ContentBlock, ToolUseBlock } from '../../message/index.ts';
import type { Clock } from '../../providers/index.ts';
import type { CheckResult, Finding, Tool, ToolContext, ToolOutput } from './tool.ts';

/** The decision about a call that waits for approval: run it, refuse it, or answer it with a result written by hand. */
export type Approval = 'approve' | { readonly deny: string } | { readonly result: string };

/** How a call ended. */
export type Outcome = 'done' | 'failed' | 'invalid' | 'unknown-tool' | 'denied' | 'timed-out' | 'aborted' | 'not-run';

/** A call that can be run, one that is answered without running, or one that waits for approval. */
export type PreparedCall =
  | { readonly kind: 'ready'; readonly tool: Tool; readonly input: unknown }
  | { readonly kind: 'answered'; readonly outcome: Outcome; readonly text: string }
  | { readonly kind: 'waiting' };

export async function prepareCall(
  call: ToolUseBlock,
  tool: Tool | undefined,
  known: readonly string[],
  approval: Approval | undefined,
  context: ToolContext,
): Promise<PreparedCall> {
  if (typeof approval === 'object' && 'result' in approval) return answerWith('done', approval.result);
  if (!tool) return answerWith('unknown-tool', describeUnknownTool(call.name, known));
  try {
    const checked = await check(call, tool);
    if (checked.issues) return answerWith('invalid', describeFindings(checked.issues));
    if (typeof approval === 'object') return answerWith('denied', `The call was denied: ${approval.deny}`);
    const input = checked.value;
    const waits = approval !== 'approve' && (await tool.needsApproval(input, context));
    return waits ? { kind: 'waiting' } : { kind: 'ready', tool, input };
  } catch (error) {
    return answerWith('failed', `The call could not be prepared: ${describeError(error)}`);
  }
}

async function check({ rawParameters, form }: ToolUseBlock, tool: Tool): Promise<CheckResult<unknown>> {
  // Free text is its own argument.
  if (form === 'custom') return { value: rawParameters };
  const text = rawParameters.trim() === '' ? '{}' : rawParameters;
  try {
    if (!isObject(parseJson(text))) return { issues: [{ message: 'the arguments are not a JSON object' }] };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return { issues: [{ message: `the arguments are not JSON: ${error.message}` }] };
  }
  return tool.check(text);
}

function answerWith(outcome: Outcome, text: string): PreparedCall {
  return { kind: 'answered', outcome, text };
}

function describeUnknownTool(name: string, known: readonly string[]): string {
  return `There is no tool named "${name}". ${known.length > 0 ? `There are: ${known.join(', ')}.` : 'There are none.'}`;
}

/** All findings at once, so that the model can correct them at once. */
function describeFindings(issues: readonly Finding[]): string {
  return `The tool was not run, because its arguments are not as its schema wants them:\n${findingLines(issues)}`;
}

export function findingLines(issues: readonly Finding[]): string {
  const lines = issues.map(({ message, path = [] }) => {
    const location = path.map((step) => String(isObject(step) ? step.key : step)).join('.');
    return `- ${location && `${location}: `}${message}`;
  });
  return lines.join('\n');
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || error.name;
}

export interface CallResult {
  readonly outcome: Outcome;
  readonly content: Content;
}

/** Runs a tool until it is done, its time is up or the run is stopped. It never throws. */
export function performCall(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  clock: Clock,
  stops: StopList,
): Promise<CallResult> {
  const { signal } = context;
  if (signal.aborted) return Promise.resolve({ outcome: 'aborted', content: NOT_BEGUN });
  const own = new AbortController();
  return new Promise((resolve) => {
    const finish = (outcome: Outcome, content: Content) => {
      cancel();
      stops.remove(stop);
      resolve({ outcome, content });
    };
    const stop = () => {
      finish('aborted', STOPPED);
      own.abort(signal.reason);
    };
    const { timeoutMs } = tool;
    const cancel =
      timeoutMs === undefined
        ? () => {}
        : clock.setTimer(timeoutMs, () => {
            const problem = `The tool did not finish within ${timeoutMs / 1000} s.`;
            finish('timed-out', `${problem} ${UNSURE}`);
            own.abort(new Error(problem));
          });
    stops.add(stop);
    execute(tool, input, { ...context, signal: own.signal }).then(
      (content) => finish('done', content),
      (error: unknown) => finish('failed', describeError(error)),
    );
  });
}

const UNSURE = 'It may or may not have had an effect.';
const STOPPED = `The call was stopped before it was done. ${UNSURE}`;
const NOT_BEGUN = 'The call was stopped before it began.';

async function execute(tool: Tool, input: unknown, context: ToolContext): Promise<Content> {
  return toContent(await tool.execute(input, context));
}

/** One listener on a signal for any number of calls: Node warns of a leak from the eleventh listener on. */
export class StopList {
  readonly #stops = new Set<() => void>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#stopAll, { once: true });
  }

  readonly #stopAll = (): void => {
    for (const stop of this.#stops) stop();
  };

  add(stop: () => void): void {
    this.#stops.add(stop);
  }

  remove(stop: () => void): void {
    this.#stops.delete(stop);
  }

  dispose(): void {
    this.#signal.removeEventListener('abort', this.#stopAll);
  }
}

/** The output of a tool as content: text and blocks unchanged, everything else as JSON text. */
export function toContent(output: ToolOutput): Content {
  if (typeof output === 'string') return output;
  if (Array.isArray(output) && output.length > 0 && output.every(isBlock)) return output;
  if (isBlock(output)) return [output];
  return toJsonText(output ?? null);
}

function isBlock(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false;
  return value.type === 'text' ? typeof value.text === 'string' : value.type === 'media' && isObject(value.source);
}

/** Marks the digits of a `bigint` until they are written as a number. */
const MARK = '\u0001bigint\u0001';

function toJsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${MARK}${inner}` : inner)) as
    | string
    | undefined;
  return (text ?? 'null').replace(/"\\u0001bigint\\u0001(-?\d+)"/g, '$1');
}
