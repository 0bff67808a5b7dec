import {
  Findings,
  isObject,
  type Json,
  parse,
  readEvents,
  type SeenAnswer,
  type SeenPart,
  type StrictReader,
} from './answer.ts';

const STOPS = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'];

/** Chat completions. */
export const chatReader: StrictReader = { whole, stream, error };

function whole(body: string): SeenAnswer {
  const findings = new Findings();
  const answer = parse(body, findings, 'the body') ?? {};
  findings.members(answer, 'answer', {
    id: /^chatcmpl-./,
    object: ['chat.completion'],
    created: 'count',
    model: /./,
    choices: 'list',
    usage: 'object',
  });
  const choices: Json[] = answer.choices ?? [];
  findings.expect(choices.length > 0, 'there is no choice');
  for (const [index, choice] of choices.entries()) checkChoice(choice, index, findings);
  checkUsage(answer.usage, findings);
  const [first] = choices;
  return {
    problems: findings.problems,
    id: answer.id,
    model: answer.model,
    parts: partsOf(first?.message ?? {}),
    choices: choices.length,
    stop: first?.finish_reason,
    usage: usageOf(answer.usage),
    echo: first?.message,
  };
}

function checkChoice(choice: Json, index: number, findings: Findings): void {
  const at = `choices[${index}]`;
  findings.members(choice, at, { index: 'count', message: 'object', finish_reason: STOPS });
  findings.expect(choice?.index === index, `${at}.index is ${choice?.index}`);
  const message = choice?.message ?? {};
  findings.members(message, `${at}.message`, {
    role: ['assistant'],
    content: 'text',
    refusal: 'text',
    'annotations?': 'list',
    'tool_calls?': 'list',
  });
  const calls: Json[] = message.tool_calls ?? [];
  findings.expect(message.tool_calls === undefined || calls.length > 0, `${at}.message.tool_calls is empty`);
  for (const [number, call] of calls.entries()) checkCall(call, `${at}.message.tool_calls[${number}]`, findings);
  findings.expect(
    (choice?.finish_reason === 'tool_calls') === calls.length > 0 || choice?.finish_reason !== 'tool_calls',
    `${at} ends by calls that it does not have`,
  );
  findings.expect(calls.length === 0 || choice?.finish_reason !== 'stop', `${at} has calls and ends by "stop"`);
  findings.expect(new Set(calls.map(({ id }) => id)).size === calls.length, `${at} has two calls of one id`);
}

function checkCall(call: Json, at: string, findings: Findings): void {
  findings.members(call, at, { id: /./, type: ['function', 'custom'] });
  if (call?.type === 'function') findings.members(call.function, `${at}.function`, { name: /./, arguments: 'string' });
}

function checkUsage(usage: Json, findings: Findings): void {
  if (!isObject(usage)) return;
  findings.members(usage, 'usage', { prompt_tokens: 'count', completion_tokens: 'count', total_tokens: 'count' });
  findings.members(usage.prompt_tokens_details, 'usage.prompt_tokens_details', { cached_tokens: 'count' });
  findings.members(usage.completion_tokens_details, 'usage.completion_tokens_details', { reasoning_tokens: 'count' });
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  findings.expect(total === input + output, `usage.total_tokens is ${total}, not ${input} + ${output}`);
  findings.expect((usage.prompt_tokens_details?.cached_tokens ?? 0) <= input, 'more was cached than was sent');
  findings.expect((usage.completion_tokens_details?.reasoning_tokens ?? 0) <= output, 'more was thought than was said');
}

const usageOf = (usage: Json) =>
  usage && {
    input: usage.prompt_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };

function partsOf(message: Json): SeenPart[] {
  const thought = message.reasoning_content ?? message.reasoning;
  return [
    ...(thought ? [{ kind: 'reasoning' as const, text: thought, opaque: '' }] : []),
    ...(message.content ? [{ kind: 'text' as const, text: message.content }] : []),
    ...(message.refusal ? [{ kind: 'refusal' as const, text: message.refusal }] : []),
    ...(message.tool_calls ?? []).map((call: Json) =>
      call.type === 'custom'
        ? { kind: 'other', type: 'custom', value: call }
        : { kind: 'call', id: call.id, name: call.function?.name, input: call.function?.arguments },
    ),
  ];
}

/** What the deltas of one choice have made so far. */
interface Growing {
  hasRole: boolean;
  stop: string | undefined;
  readonly message: Json;
}

function stream(body: string, { includeUsage = false } = {}): SeenAnswer {
  const findings = new Findings();
  const events = readEvents(body);
  findings.expect(events.at(-1)?.data === '[DONE]', 'the stream does not end with [DONE]');
  const chunks = events
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => parse(data, findings, 'a chunk') ?? {});
  const [first] = chunks;
  const choices = new Map<number, Growing>();
  let usage: Json;
  for (const [at, chunk] of chunks.entries()) {
    const path = `chunk ${at}`;
    findings.members(chunk, path, {
      id: /^chatcmpl-./,
      object: ['chat.completion.chunk'],
      created: 'count',
      model: /./,
      choices: 'list',
    });
    for (const name of ['id', 'created', 'model'])
      findings.expect(chunk[name] === first[name], `${path}.${name} differs from that of the first chunk`);
    findings.expect(usage === undefined, `${path} comes after the usage`);
    if (isObject(chunk.usage)) {
      usage = chunk.usage;
      findings.expect(includeUsage, `${path} has a usage that nobody asked for`);
      findings.expect(chunk.choices?.length === 0, `${path} has a usage and choices`);
    } else findings.expect(chunk.choices?.length > 0, `${path} has neither choices nor a usage`);
    for (const choice of chunk.choices ?? []) addDelta(choice, path, choices, findings);
  }
  findings.expect(!includeUsage || usage !== undefined, 'the usage that was asked for is missing');
  checkUsage(usage, findings);
  findings.expect(choices.size > 0, 'there is no choice');
  for (const [index, { stop, message }] of choices) {
    findings.expect(stop !== undefined, `choice ${index} has no end`);
    checkChoice({ index, message: { refusal: null, ...message }, finish_reason: stop }, index, findings);
  }
  const choice = choices.get(0);
  return {
    problems: findings.problems,
    id: first?.id,
    model: first?.model,
    parts: partsOf(choice?.message ?? {}),
    choices: choices.size,
    stop: choice?.stop ?? '',
    usage: usageOf(usage),
    echo: choice?.message,
  };
}

const TEXTS = ['content', 'refusal', 'reasoning_content', 'reasoning'];

function addDelta(choice: Json, path: string, choices: Map<number, Growing>, findings: Findings): void {
  findings.members(choice, path, { index: 'count', delta: 'object', finish_reason: 'text' });
  const { index, delta = {}, finish_reason: stop } = choice;
  const growing = choices.get(index) ?? { hasRole: false, stop: undefined, message: { content: null } };
  if (!choices.has(index)) findings.expect(delta.role === 'assistant', `${path}: the first delta has no role`);
  choices.set(index, growing);
  const { message } = growing;
  findings.expect(growing.stop === undefined, `${path}: a delta after the end of the choice`);
  if (delta.role !== undefined) {
    findings.expect(!growing.hasRole, `${path}: a second role`);
    growing.hasRole = true;
    message.role = delta.role;
  }
  for (const name of TEXTS) {
    const piece = delta[name];
    if (piece === undefined || piece === null) continue;
    findings.expect(typeof piece === 'string', `${path}.delta.${name} is no text`);
    message[name] = (message[name] ?? '') + piece;
  }
  for (const call of delta.tool_calls ?? []) addCall(call, path, message, findings);
  if (typeof stop === 'string') growing.stop = stop;
}

function addCall(call: Json, path: string, message: Json, findings: Findings): void {
  findings.members(call, `${path}.tool_calls`, { index: 'count', 'function?': 'object' });
  message.tool_calls ??= [];
  const known = message.tool_calls[call.index];
  if (known === undefined) {
    findings.expect(call.index === message.tool_calls.length, `${path}: call ${call.index} comes too early`);
    findings.members(call, `${path}.tool_calls`, { id: /./, type: ['function', 'custom'] });
    const { index: _, ...rest } = call;
    message.tool_calls[call.index] = structuredClone(rest);
    return;
  }
  findings.expect(call.index === message.tool_calls.length - 1, `${path}: a call goes on behind the next one`);
  findings.expect(call.id === undefined && call.function?.name === undefined, `${path}: a call is begun twice`);
  if (known.function) known.function.arguments += call.function?.arguments ?? '';
}

function error(status: number, body: string): string[] {
  const findings = new Findings();
  const answer = parse(body, findings, 'the body') ?? {};
  findings.expect(status >= 400, `an error has the status ${status}`);
  findings.members(answer.error, 'error', { message: /./, type: /./, param: 'text', code: 'present' });
  return findings.problems;
}
