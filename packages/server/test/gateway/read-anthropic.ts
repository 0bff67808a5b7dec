import {
  type Check,
  Findings,
  isObject,
  isObjectText,
  type Json,
  parse,
  readEvents,
  type SeenAnswer,
  type SeenPart,
  type StrictReader,
} from './answer.ts';

const STOPS = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'compaction',
  'model_context_window_exceeded',
];

/** Anthropic's messages. */
export const anthropicReader: StrictReader = { whole, stream, error };

function whole(body: string): SeenAnswer {
  const findings = new Findings();
  const answer = parse(body, findings, 'the body') ?? {};
  checkMessage(answer, findings);
  return toSeen(answer, findings);
}

function toSeen(message: Json, findings: Findings): SeenAnswer {
  const { id, model, content = [], stop_reason: stop, usage } = message;
  return {
    problems: findings.problems,
    id,
    model,
    parts: content.map(toPart),
    choices: 1,
    stop,
    usage: usage && {
      input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
      cached: usage.cache_read_input_tokens ?? 0,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
    echo: { role: 'assistant', content },
  };
}

function toPart(block: Json): SeenPart {
  if (block.type === 'text') return { kind: 'text', text: block.text };
  if (block.type === 'thinking') return { kind: 'reasoning', text: block.thinking, opaque: block.signature };
  if (block.type === 'redacted_thinking') return { kind: 'reasoning', text: '', opaque: block.data };
  if (block.type === 'tool_use')
    return { kind: 'call', id: block.id, name: block.name, input: JSON.stringify(block.input) };
  return { kind: 'other', type: block.type, value: block };
}

function checkMessage(message: Json, findings: Findings): void {
  findings.members(message, 'message', {
    id: /^msg_./,
    type: ['message'],
    role: ['assistant'],
    model: /./,
    content: 'list',
    stop_reason: STOPS,
    stop_sequence: 'text',
    usage: 'object',
  });
  findings.expect(
    (message.stop_reason === 'stop_sequence') === (typeof message.stop_sequence === 'string'),
    `stop_reason is ${message.stop_reason} and stop_sequence is ${message.stop_sequence}`,
  );
  const content: Json[] = Array.isArray(message.content) ? message.content : [];
  for (const [index, block] of content.entries()) checkBlock(block, `content[${index}]`, findings);
  const calls = content.filter(({ type }) => type === 'tool_use');
  findings.expect(message.stop_reason !== 'tool_use' || calls.length > 0, 'it stops for calls and has none');
  findings.expect(message.stop_reason !== 'end_turn' || calls.length === 0, 'it has calls and stops by "end_turn"');
  findings.expect(new Set(calls.map(({ id }) => id)).size === calls.length, 'two calls have one id');
  checkUsage(message.usage, 'usage', findings);
}

const BLOCKS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  text: { text: /./s },
  thinking: { thinking: 'string', signature: /./ },
  redacted_thinking: { data: /./ },
  tool_use: { id: /^[\w-]+$/, name: /^[\w-]{1,128}$/, input: 'object' },
  server_tool_use: { id: /^srvtoolu_/, name: /./, input: 'object' },
};

function checkBlock(block: Json, at: string, findings: Findings): void {
  findings.members(block, at, { type: /./, ...BLOCKS[block?.type] });
}

function checkUsage(usage: Json, at: string, findings: Findings): void {
  findings.members(usage, at, {
    input_tokens: 'count',
    output_tokens: 'count',
    cache_creation_input_tokens: 'count',
    cache_read_input_tokens: 'count',
  });
}

/** Which deltas a block grows by. */
const GROWS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
  mcp_tool_use: ['input_json_delta'],
  compaction: ['compaction_delta'],
};

/** A message as the events make it, in the order that they may come. */
class Assembly {
  message: Json;
  open: Json;
  isStopped = false;
  isEnded = false;
  #input = '';
  #isSigned = false;
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  add(event: Json, at: string): void {
    const { type } = event;
    if (type === 'ping') return;
    this.#findings.expect(!this.isEnded, `${at} comes after message_stop`);
    if (type === 'message_start') this.#start(event, at);
    else if (this.message === undefined) this.#findings.problems.push(`${at} comes before message_start`);
    else if (type === 'content_block_start') this.#startBlock(event, at);
    else if (type === 'content_block_delta') this.#grow(event, at);
    else if (type === 'content_block_stop') this.#endBlock(event, at);
    else if (type === 'message_delta') this.#change(event, at);
    else if (type === 'message_stop') {
      this.#findings.expect(this.isStopped, `${at} comes before message_delta`);
      this.isEnded = true;
    } else this.#findings.problems.push(`${at} is no event of a message`);
  }

  #start({ message }: Json, at: string): void {
    this.#findings.expect(this.message === undefined, `${at} starts a second message`);
    this.#findings.expect(message?.stop_reason === null, `${at} has a stop_reason already`);
    this.#findings.members(message, at, {
      id: /^msg_./,
      type: ['message'],
      role: ['assistant'],
      model: /./,
      content: 'list',
    });
    this.#findings.members(message?.usage, `${at}.usage`, { input_tokens: 'count', output_tokens: 'count' });
    this.#findings.expect(message?.stop_sequence === null, `${at} has a stop_sequence already`);
    this.message = structuredClone(message ?? {});
    this.message.content = [];
  }

  #startBlock({ index, content_block: block }: Json, at: string): void {
    this.#findings.expect(this.open === undefined, `${at} starts a block inside another one`);
    this.#findings.expect(!this.isStopped, `${at} starts a block after message_delta`);
    this.#findings.expect(index === this.message.content.length, `${at} has the index ${index}`);
    this.open = structuredClone(block ?? {});
    this.#input = '';
    this.#isSigned = false;
    if (block?.type === 'text') this.#findings.expect(block.text === '', `${at} starts with text`);
    if (block?.type === 'thinking')
      this.#findings.expect(block.thinking === '' && block.signature === '', `${at} starts with a thought`);
    if (block?.type === 'tool_use') this.#findings.expect(isObject(block.input), `${at} has no input`);
    this.message.content.push(this.open);
  }

  #grow({ index, delta }: Json, at: string): void {
    const block = this.open;
    if (block === undefined) {
      this.#findings.problems.push(`${at} grows no block`);
      return;
    }
    this.#findings.expect(index === this.message.content.length - 1, `${at} grows block ${index}`);
    this.#findings.expect(GROWS[block.type]?.includes(delta?.type) ?? false, `${at}: ${delta?.type} in ${block.type}`);
    if (delta?.type === 'text_delta') block.text += delta.text;
    if (delta?.type === 'thinking_delta') {
      this.#findings.expect(!this.#isSigned, `${at}: a thought goes on after its signature`);
      block.thinking += delta.thinking;
    }
    if (delta?.type === 'input_json_delta') this.#input += delta.partial_json;
    if (delta?.type === 'signature_delta') {
      this.#findings.expect(!this.#isSigned, `${at}: a second signature`);
      this.#isSigned = true;
      block.signature = delta.signature;
    }
    if (delta?.type === 'citations_delta') block.citations = [...(block.citations ?? []), delta.citation];
    if (delta?.type === 'compaction_delta') block.content = delta.content;
  }

  #endBlock({ index }: Json, at: string): void {
    if (this.open === undefined) {
      this.#findings.problems.push(`${at} ends no block`);
      return;
    }
    this.#findings.expect(index === this.message.content.length - 1, `${at} ends block ${index}`);
    if (this.#input !== '') {
      this.#findings.expect(isObjectText(this.#input), `${at}: the input is ${this.#input.slice(0, 80)}`);
      if (isObjectText(this.#input)) this.open.input = JSON.parse(this.#input);
    }
    this.open = undefined;
  }

  #change({ delta, usage }: Json, at: string): void {
    this.#findings.expect(this.open === undefined, `${at} comes inside of a block`);
    this.#findings.expect(!this.isStopped, `${at} is a second message_delta`);
    this.#findings.members(delta, `${at}.delta`, { stop_reason: STOPS, stop_sequence: 'text' });
    this.#findings.members(usage, `${at}.usage`, { output_tokens: 'count' });
    this.isStopped = true;
    Object.assign(this.message, delta);
    this.message.usage = { ...this.message.usage, ...usage };
  }
}

function stream(body: string): SeenAnswer {
  const findings = new Findings();
  const assembly = new Assembly(findings);
  for (const [index, { event, data }] of readEvents(body).entries()) {
    const value = parse(data, findings, `event ${index}`) ?? {};
    findings.expect(event === value.type, `event ${index} is named ${event} and has the type ${value.type}`);
    assembly.add(value, `event ${index} (${value.type})`);
  }
  findings.expect(assembly.isEnded, 'the stream does not end with message_stop');
  const message = assembly.message ?? {};
  // A stream in which nothing is cached may leave these out of its first usage.
  if (isObject(message.usage)) {
    message.usage.cache_creation_input_tokens ??= 0;
    message.usage.cache_read_input_tokens ??= 0;
  }
  checkMessage(message, findings);
  return toSeen(message, findings);
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function error(status: number, body: string): string[] {
  const findings = new Findings();
  const answer = parse(body, findings, 'the body') ?? {};
  findings.members(answer, 'answer', { type: ['error'], error: 'object' });
  findings.members(answer.error, 'error', { type: /_error$|_too_large$/, message: /./ });
  const wanted = ERRORS[status];
  findings.expect(wanted === undefined || answer.error?.type === wanted, `${status} is named ${answer.error?.type}`);
  return findings.problems;
}
