import type { RequestParams, ToolDefinition } from '../../dialects/index.ts';
import { forModel } from '../../dialects/provider.ts';
import { mergeJson } from '../../dialects/write/frame.ts';
import { isJson, type JsonObject } from '../../json/index.ts';
import type { Target } from '../targets.ts';
import { jsonSchemaCheck } from '../tools/json-schema.ts';
import { jsonSchemaOf } from '../tools/schema-of.ts';
import { checkStandard } from '../tools/standard-schema.ts';
import { isStandard } from '../tools/tool.ts';
import type { CheckResult, StandardSchema, Tool } from '../tools/types.ts';
import type { RunStop } from '../types.ts';
import { InvalidOutputError } from './invalid-output.ts';
import { isClosed, isStrict, narrow } from './narrow.ts';

/** What a request is made of, as far as the output has a say in it. */
export interface Asking {
  readonly tools: readonly ToolDefinition[];
  readonly params: RequestParams;
  readonly extra: JsonObject | string | undefined;
}

const TOOL = 'final_answer';

/** Ends that are not the model's: there is no answer yet. */
const UNFINISHED: ReadonlySet<string> = new Set<RunStop['reason']>([
  ...(['steps', 'tokens', 'cost', 'time', 'stopped', 'aborted', 'approval'] as const),
]);

/** The schema that the answer of a run has to follow. */
export class OutputSpec {
  readonly #schema: JsonObject;
  readonly #check: (text: string) => Promise<CheckResult<unknown>>;
  /** Called with the answer where a provider has no other way. */
  readonly tool: Tool;
  /** The answer, where it was given by a call. */
  answer: string | undefined;

  constructor(output: StandardSchema | JsonObject) {
    const schema = isStandard(output) ? jsonSchemaOf(output) : output;
    if (!schema)
      throw new TypeError('The schema in "output" gives no JSON Schema: use one that does, or a JSON Schema');
    this.#schema = schema;
    this.#check = isStandard(output) ? (text) => checkStandard(text, output, schema) : jsonSchemaCheck(schema);
    this.tool = {
      name: TOOL,
      description: 'Gives the final answer. Call it once, when everything else is done.',
      parameters: schema,
      native: [],
      sequential: true,
      timeoutMs: undefined,
      // Checked at the end, as a reply in text is.
      check: async (text) => ({ value: text }),
      execute: (text) => {
        this.answer = String(text);
        return 'Taken.';
      },
      needsApproval: () => false,
    };
  }

  /** Asks that model for the output, in the way that it knows. */
  ask({ dialect, provider, model }: Target, { tools, params, extra }: Asking): Asking {
    const others = tools.filter((one) => !('name' in one && one.name === TOOL));
    const says = (quirk: string) => forModel(provider.policies.quirks[quirk] ?? { default: 'format' }, model);
    const way = dialect.output?.schema;
    const schema = way && narrow(this.#schema, way);
    const takesFormat =
      way &&
      says('output') === 'format' &&
      (others.length === 0 || says('outputWithTools') === 'format') &&
      (!way.onlyClosed || isClosed(schema!));
    if (takesFormat) {
      const body = JSON.stringify(way.body(schema!, isStrict(schema!)));
      const given = typeof extra === 'object' ? JSON.stringify(extra) : extra;
      return { tools: others, params, extra: given === undefined ? body : mergeJson(body, given) };
    }
    const { reasoning } = params;
    // `thinking-forced-tool`, `forced-tool-unsupported`
    const thinks = reasoning ? reasoning.effort !== 'none' : false;
    const mayForce = !thinks && !forModel(provider.policies.quirks.alwaysThinks ?? { default: false }, model);
    const forced = others.length > 0 ? 'required' : { name: TOOL };
    return { tools, params: { ...params, toolChoice: mayForce ? forced : 'auto' }, extra };
  }

  /** The output of a run that ended so; undefined where it has no answer yet. Throws when the answer does not fit. */
  async read(lastText: string, { reason, native }: RunStop): Promise<unknown> {
    if (UNFINISHED.has(reason)) return undefined;
    const text = this.answer ?? lastText;
    const checked = isJson(text) ? await this.#check(text) : { issues: [{ message: 'the reply is not JSON' }] };
    if (!checked.issues) return checked.value;
    const early = reason === 'end' ? [] : [{ message: `the reply ended with "${native ?? reason}"` }];
    throw new InvalidOutputError([...checked.issues, ...early]);
  }
}
