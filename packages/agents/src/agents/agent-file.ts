import { type McpServerEntry, serversShape } from '../config/config-file.ts';
import { flag, isRecord, list, number, object, oneOf, record, type Shape, text, wrongType } from '../files/shape.ts';

/** The keys of an agent file. */
export interface AgentFile {
  readonly name: string;
  readonly description: string;
  readonly provider: string;
  /** One name, or a name for each provider, so that only `provider` has to change. */
  readonly model: string | Readonly<Record<string, string>>;
  readonly fallback: readonly string[];
  readonly system_prompt: string;
  readonly tools: readonly string[];
  /** The folder that the file tools can read. */
  readonly files: string;
  readonly preset: string;
  readonly params: Partial<AgentFileParams>;
  readonly extra_body: Readonly<Record<string, unknown>>;
  readonly limits: Partial<AgentFileLimits>;
  readonly approve: readonly string[] | 'all';
  readonly mcp: Readonly<Record<string, Partial<McpServerEntry>>>;
  /** Keys of an older format; they are ignored. */
  readonly class_name: string;
  readonly module: string;
  readonly knowledge_store: object;
}

export interface AgentFileParams {
  readonly max_tokens: number;
  readonly temperature: number;
  readonly top_p: number;
  readonly stop: readonly string[];
  readonly seed: number;
  readonly parallel_tool_calls: boolean;
  readonly reasoning: { readonly effort?: string; readonly budget?: number };
}

interface AgentFileLimits {
  readonly steps: number;
  readonly tokens: number;
  readonly cost: number;
  readonly seconds: number;
}

const model: Shape<AgentFile['model']> = (value, path, report) =>
  isRecord(value) ? record(text)(value, path, report) : text(value, path, report);

const approve: Shape<AgentFile['approve']> = (value, path, report) =>
  typeof value === 'string' ? oneOf('all')(value, path, report) : list(text)(value, path, report);

const anyObject: Shape<Readonly<Record<string, unknown>>> = (value, path, report) =>
  isRecord(value) ? value : wrongType(value, 'keys and values', path, report);

const older: Shape<never> = (_, path, report) => {
  const fix = 'Remove it when you like; tools are listed in "tools", and everything else of it has no use here.';
  report(path, 'not-used', 'This key is of an older format, and is not used.', fix);
  return undefined;
};

/** The Python class whose methods were the tools, in the older format. */
const className: Shape<string> = (value, path, report) => {
  older(value, path, report);
  return typeof value === 'string' ? value : undefined;
};

export const agentShape: Shape<Partial<AgentFile>> = object<AgentFile>({
  name: text,
  description: text,
  provider: text,
  model,
  fallback: list(text),
  system_prompt: text,
  tools: list(text),
  files: text,
  preset: text,
  params: object<AgentFileParams>({
    max_tokens: number(1, Infinity, 'whole'),
    temperature: number(0, 2),
    top_p: number(0, 1),
    stop: list(text),
    seed: number(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'whole'),
    parallel_tool_calls: flag,
    reasoning: object<{ effort: string; budget: number }>({ effort: text, budget: number(1, Infinity, 'whole') }),
  }),
  extra_body: anyObject,
  limits: object<AgentFileLimits>({
    steps: number(1, 10_000, 'whole'),
    tokens: number(1, Infinity, 'whole'),
    cost: number(0, Infinity),
    seconds: number(0.001, Infinity),
  }),
  approve,
  mcp: serversShape,
  class_name: className,
  module: older,
  knowledge_store: older,
});
