import { isObject, JsonTextError, parseJson } from '../../json/index.ts';
import type { ToolUseBlock } from '../../message/index.ts';
import type { CheckResult, Finding, Tool, ToolContext } from './types.ts';

/** What was decided about a call that waits for approval: run it, refuse it, or answer it with a result written by hand. */
export type Approval = 'approve' | { readonly deny: string } | { readonly result: string };

/** How a call ended. */
export type Outcome = 'done' | 'failed' | 'invalid' | 'unknown-tool' | 'denied' | 'timed-out' | 'aborted' | 'not-run';

/** A call that can be run, one that is answered without that, or one that waits for approval. */
export type Prepared =
  | { readonly kind: 'ready'; readonly tool: Tool; readonly input: unknown }
  | { readonly kind: 'answered'; readonly outcome: Outcome; readonly text: string }
  | { readonly kind: 'waiting' };

export async function prepareCall(
  call: ToolUseBlock,
  tool: Tool | undefined,
  known: readonly string[],
  approval: Approval | undefined,
  context: ToolContext,
): Promise<Prepared> {
  if (typeof approval === 'object' && 'result' in approval) return answered('done', approval.result);
  if (!tool) return answered('unknown-tool', unknownTool(call.name, known));
  try {
    const checked = await check(call, tool);
    if (checked.issues) return answered('invalid', findingsText(checked.issues));
    if (typeof approval === 'object') return answered('denied', `The call was denied: ${approval.deny}`);
    const input = checked.value;
    const waits = approval !== 'approve' && (await tool.needsApproval(input, context));
    return waits ? { kind: 'waiting' } : { kind: 'ready', tool, input };
  } catch (error) {
    return answered('failed', `The call could not be prepared: ${messageOf(error)}`);
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

function answered(outcome: Outcome, text: string): Prepared {
  return { kind: 'answered', outcome, text };
}

function unknownTool(name: string, known: readonly string[]): string {
  return `There is no tool named "${name}". ${known.length > 0 ? `There are: ${known.join(', ')}.` : 'There are none.'}`;
}

/** All findings at once, so that the model can mend them at once. */
function findingsText(issues: readonly Finding[]): string {
  return `The tool was not run, because its arguments are not as its schema wants them:\n${findingLines(issues)}`;
}

export function findingLines(issues: readonly Finding[]): string {
  const lines = issues.map(({ message, path = [] }) => {
    const place = path.map((step) => String(isObject(step) ? step.key : step)).join('.');
    return `- ${place && `${place}: `}${message}`;
  });
  return lines.join('\n');
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || error.name;
}
