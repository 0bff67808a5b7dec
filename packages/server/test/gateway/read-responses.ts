import { isDeepStrictEqual } from 'node:util';
import {
  type Check,
  Findings,
  isObject,
  type Json,
  parse,
  readEvents,
  type SeenAnswer,
  type SeenPart,
  type StrictReader,
} from './answer.ts';

/** OpenAI's Responses. */
export const responsesReader: StrictReader = { whole, stream, error };

function whole(body: string): SeenAnswer {
  const findings = new Findings();
  const response = parse(body, findings, 'the body') ?? {};
  checkResponse(response, 'response', findings);
  findings.expect(response.status !== 'in_progress', 'the response is not at its end');
  checkItems(response.output ?? [], findings);
  return toSeen(response, findings);
}

function checkResponse(response: Json, at: string, findings: Findings): void {
  findings.members(response, at, {
    id: /^resp_./,
    object: ['response'],
    created_at: 'count',
    status: ['completed', 'incomplete', 'failed', 'in_progress', 'queued', 'cancelled'],
    error: 'present',
    incomplete_details: 'present',
    instructions: 'present',
    max_output_tokens: 'present',
    metadata: 'present',
    model: /./,
    output: 'list',
    parallel_tool_calls: 'boolean',
    previous_response_id: 'text',
    reasoning: 'present',
    store: 'boolean',
    temperature: 'present',
    text: 'object',
    tool_choice: 'present',
    tools: 'list',
    top_p: 'present',
    truncation: 'present',
    usage: 'present',
  });
  findings.expect(
    (response.status === 'incomplete') === isObject(response.incomplete_details),
    `${at} is ${response.status}`,
  );
  findings.expect(
    (response.status === 'failed') === isObject(response.error),
    `${at}: ${response.status} with ${response.error}`,
  );
  if (response.status === 'completed' || isObject(response.usage)) checkUsage(response.usage, findings);
}

function checkUsage(usage: Json, findings: Findings): void {
  findings.members(usage, 'usage', { input_tokens: 'count', output_tokens: 'count', total_tokens: 'count' });
  findings.members(usage?.input_tokens_details, 'usage.input_tokens_details', { cached_tokens: 'count' });
  findings.members(usage?.output_tokens_details, 'usage.output_tokens_details', { reasoning_tokens: 'count' });
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage ?? {};
  findings.expect(total === input + output, `usage.total_tokens is ${total}, not ${input} + ${output}`);
  findings.expect((usage?.input_tokens_details?.cached_tokens ?? 0) <= input, 'more was cached than was sent');
}

function checkItems(items: readonly Json[], findings: Findings): void {
  for (const [index, item] of items.entries()) checkItem(item, `output[${index}]`, findings);
  const ids = items.map(({ id }) => id);
  findings.expect(new Set(ids).size === ids.length, 'two items have one id');
  const calls = items.flatMap(({ type, call_id }) => (type === 'function_call' ? [call_id] : []));
  findings.expect(new Set(calls).size === calls.length, 'two calls have one id');
}

const ITEMS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  message: { id: /^msg_./, role: /./, content: 'list', status: ['completed', 'incomplete', 'in_progress'] },
  function_call: { id: /^fc_./, call_id: /./, name: /./, arguments: 'string', status: 'string' },
  custom_tool_call: { id: /^ctc_./, call_id: /./, name: /./, input: 'string' },
  reasoning: { id: /^rs_./, summary: 'list', 'encrypted_content?': 'text' },
};

function checkItem(item: Json, at: string, findings: Findings): void {
  findings.members(item, at, { type: /./, ...ITEMS[item?.type] });
  if (item?.type === 'message') for (const part of item.content ?? []) checkContent(part, `${at}.content`, findings);
  if (item?.type === 'reasoning')
    for (const part of item.summary ?? [])
      findings.members(part, `${at}.summary`, { type: ['summary_text'], text: 'string' });
}

function checkContent(part: Json, at: string, findings: Findings): void {
  findings.members(part, at, { type: ['output_text', 'refusal', 'input_text'] });
  if (part?.type === 'output_text')
    findings.members(part, at, { text: 'string', annotations: 'list', 'logprobs?': 'list' });
  if (part?.type === 'refusal') findings.members(part, at, { refusal: 'string' });
}

function toSeen(response: Json, findings: Findings): SeenAnswer {
  const { id, model, output = [], status, incomplete_details: why, usage } = response;
  return {
    problems: findings.problems,
    id,
    model,
    parts: output.flatMap(toParts),
    choices: 1,
    stop: status === 'incomplete' ? why?.reason : status,
    usage: usage && {
      input: usage.input_tokens,
      cached: usage.input_tokens_details?.cached_tokens ?? 0,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
    },
    echo: output,
  };
}

function toParts(item: Json): SeenPart[] {
  if (item.type === 'message')
    return item.content.map((part: Json) =>
      part.type === 'refusal' ? { kind: 'refusal', text: part.refusal } : { kind: 'text', text: part.text },
    );
  if (item.type === 'reasoning') {
    const text = [...(item.summary ?? []), ...(item.content ?? [])].map((part: Json) => part.text).join('');
    return [{ kind: 'reasoning', text, opaque: item.encrypted_content ?? '' }];
  }
  if (item.type === 'function_call')
    return [{ kind: 'call', id: item.call_id, name: item.name, input: item.arguments }];
  return [{ kind: 'other', type: item.type, value: item }];
}

/** The text that a kind of delta adds to, and the member of the event that closes it. */
const GROWING: Readonly<Record<string, string>> = {
  'response.output_text': 'text',
  'response.refusal': 'refusal',
  'response.function_call_arguments': 'arguments',
  'response.custom_tool_call_input': 'input',
  'response.reasoning_summary_text': 'text',
  'response.reasoning_text': 'text',
};

/** The items as the events make them, in the order that they may come. */
class Assembly {
  readonly done: Json[] = [];
  last: Json;
  #added = new Map<number, Json>();
  #texts = new Map<string, string>();
  #closed = new Set<string>();
  #count = 0;
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  add(event: Json, at: string): void {
    const { type } = event;
    const number = this.#count++;
    this.#findings.expect(this.last === undefined, `${at} comes after the end`);
    if (number < 2) {
      this.#findings.expect(type === ['response.created', 'response.in_progress'][number], `${at} is event ${number}`);
      if (event.response) checkResponse(event.response, at, this.#findings);
      return;
    }
    const [, stem = '', end] = /^(.*)\.(delta|done)$/.exec(type) ?? [];
    if (type === 'response.output_item.added') this.#addItem(event, at);
    else if (type === 'response.output_item.done') this.#endItem(event, at);
    else if (stem in GROWING) this.#growText(event, stem, end!, at);
    else if (/^response\.(content_part|reasoning_summary_part)\.(added|done)$/.test(type)) this.#part(event, at);
    else if (/^response\.(completed|incomplete|failed)$/.test(type)) this.#end(event, at);
    else this.#findings.expect(/^response\.\w+\.|^error$/.test(type), `${at} is no event of a response`);
  }

  #addItem({ output_index: index, item }: Json, at: string): void {
    this.#findings.expect(index === this.done.length + this.#added.size, `${at} has the index ${index}`);
    this.#findings.expect(
      item?.status !== 'completed' || !/^(message|function_call|reasoning)$/.test(item.type),
      `${at} is complete already`,
    );
    this.#added.set(index, item);
  }

  #endItem({ output_index: index, item }: Json, at: string): void {
    const added = this.#added.get(index);
    this.#findings.expect(added !== undefined, `${at} was not added`);
    this.#findings.expect(added?.id === item?.id && added?.type === item?.type, `${at} has another id or type`);
    this.#added.delete(index);
    this.done[index] = item;
    for (const [key, text] of this.#texts)
      if (key.startsWith(`${index} `))
        this.#findings.expect(this.#closed.has(key), `${at}: ${key} was not closed (${text.length})`);
  }

  #part(event: Json, at: string): void {
    const { item_id: id, output_index: index, part } = event;
    this.#isOpen(id, index, at);
    this.#findings.expect(isObject(part), `${at} has no part`);
    const place = event.content_index ?? event.summary_index;
    const words = part?.text ?? part?.refusal ?? '';
    if (event.type.endsWith('.added')) this.#findings.expect(words === '', `${at} starts with text`);
    else {
      const found = [...this.#texts].find(([key]) =>
        new RegExp(`^${index} ${place} .*(output_text|refusal|summary_text|reasoning_text)$`).test(key),
      );
      this.#findings.expect(words === (found?.[1] ?? ''), `${at} differs from its deltas`);
    }
  }

  #growText(event: Json, stem: string, end: string, at: string): void {
    const { item_id: id, output_index: index } = event;
    this.#isOpen(id, index, at);
    const key = `${index} ${event.content_index ?? event.summary_index ?? 0} ${stem}`;
    const so = this.#texts.get(key) ?? '';
    this.#findings.expect(!this.#closed.has(key), `${at} goes on after its end`);
    if (end === 'delta') {
      this.#findings.expect(typeof event.delta === 'string', `${at} has no delta`);
      this.#texts.set(key, so + event.delta);
    } else {
      this.#closed.add(key);
      this.#findings.expect(event[GROWING[stem]!] === so, `${at} differs from its deltas`);
    }
  }

  #isOpen(id: string, index: number, at: string): void {
    const item = this.#added.get(index);
    this.#findings.expect(item !== undefined, `${at} is not inside of item ${index}`);
    this.#findings.expect(item === undefined || item.id === id, `${at} has the item_id ${id}`);
  }

  #end({ type, response }: Json, at: string): void {
    this.last = response ?? {};
    this.#findings.expect(this.#added.size === 0 || type !== 'response.completed', `${at}: an item is not at its end`);
    this.#findings.expect(type === `response.${response?.status}`, `${at} has the status ${response?.status}`);
    checkResponse(response, at, this.#findings);
    checkItems(response?.output ?? [], this.#findings);
    const shown = (items: readonly Json[]) => items.map(({ encrypted_content: _, ...item }) => item);
    const same = isDeepStrictEqual(shown(response?.output ?? []), shown(this.done.filter(Boolean)));
    this.#findings.expect(same || type !== 'response.completed', `${at} has other items than the events before`);
  }
}

function stream(body: string): SeenAnswer {
  const findings = new Findings();
  const assembly = new Assembly(findings);
  for (const [index, { event, data }] of readEvents(body).entries()) {
    if (data === '[DONE]') {
      findings.problems.push('there is a [DONE]');
      continue;
    }
    const value = parse(data, findings, `event ${index}`) ?? {};
    findings.expect(event === value.type, `event ${index} is named ${event} and has the type ${value.type}`);
    findings.expect(value.sequence_number === index, `event ${index} has the number ${value.sequence_number}`);
    assembly.add(value, `event ${index} (${value.type})`);
  }
  findings.expect(assembly.last !== undefined, 'the stream has no end');
  return toSeen(assembly.last ?? {}, findings);
}

function error(status: number, body: string): string[] {
  const findings = new Findings();
  const answer = parse(body, findings, 'the body') ?? {};
  findings.expect(status >= 400, `an error has the status ${status}`);
  findings.members(answer.error, 'error', { message: /./, type: /./, param: 'text', code: 'present' });
  return findings.problems;
}
