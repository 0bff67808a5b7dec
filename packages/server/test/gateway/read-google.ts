import {
  Findings,
  isObject,
  type Json,
  joinTexts,
  parse,
  readEvents,
  type SeenAnswer,
  type SeenPart,
  type StrictReader,
} from './answer.ts';

/** Google's generateContent. */
export const googleReader: StrictReader = { whole, stream, error };

/** A part has one of these, and may have a thought signature beside it. */
const DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];

const STOPS =
  /^(STOP|MAX_TOKENS|SAFETY|RECITATION|LANGUAGE|OTHER|BLOCKLIST|PROHIBITED_CONTENT|SPII|MALFORMED_FUNCTION_CALL|IMAGE_SAFETY|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE|MALFORMED_RESPONSE|NO_IMAGE)$/;

function whole(body: string): SeenAnswer {
  const findings = new Findings();
  const answer = parse(body, findings, 'the body') ?? {};
  checkAnswer(answer, 'answer', findings);
  for (const [index, candidate] of (answer.candidates ?? []).entries())
    findings.members(candidate, `candidates[${index}]`, { finishReason: STOPS });
  checkUsage(answer.usageMetadata, findings);
  return toSeen([answer], findings);
}

function stream(body: string): SeenAnswer {
  const findings = new Findings();
  const chunks = readEvents(body).map(({ event, data }, index) => {
    findings.expect(event === undefined, `chunk ${index} has the event name ${event}`);
    return parse(data, findings, `chunk ${index}`) ?? {};
  });
  findings.expect(chunks.length > 0, 'there is no chunk');
  const ended = new Set<number>();
  for (const [at, chunk] of chunks.entries()) {
    checkAnswer(chunk, `chunk ${at}`, findings);
    findings.expect(chunk.responseId === chunks[0].responseId, `chunk ${at} has another responseId`);
    for (const { index = 0, finishReason } of chunk.candidates ?? []) {
      findings.expect(!ended.has(index), `chunk ${at} comes after the end of candidate ${index}`);
      if (finishReason !== undefined) ended.add(index);
      findings.expect(finishReason === undefined || STOPS.test(finishReason), `chunk ${at} ends by ${finishReason}`);
    }
  }
  findings.expect(ended.size > 0, 'no candidate has an end');
  checkUsage(chunks.at(-1)?.usageMetadata, findings);
  return toSeen(chunks, findings);
}

function checkAnswer(answer: Json, at: string, findings: Findings): void {
  findings.members(answer, at, { candidates: 'list', modelVersion: /./, responseId: /./, usageMetadata: 'object' });
  for (const candidate of answer.candidates ?? []) {
    findings.members(candidate, `${at}.candidate`, { 'index?': 'count', 'content?': 'object' });
    const { content } = candidate;
    if (content === undefined || Object.keys(content).length === 0) continue;
    findings.members(content, `${at}.content`, { role: ['model'], 'parts?': 'list' });
    for (const part of content.parts ?? []) checkPart(part, `${at}.part`, findings);
  }
}

function checkPart(part: Json, at: string, findings: Findings): void {
  const data = DATA.filter((name) => part?.[name] !== undefined);
  const isSignature = data.length === 0 && typeof part?.thoughtSignature === 'string';
  findings.expect(data.length === 1 || isSignature, `${at} has ${data.length} kinds of data: ${data}`);
  findings.members(part, at, {
    'text?': 'string',
    'thought?': 'boolean',
    'thoughtSignature?': /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'functionCall?': 'object',
  });
  // A call that is streamed piece by piece has its name in the first piece only.
  const call = part?.functionCall;
  if (call && call.willContinue === undefined && call.partialArgs === undefined && Object.keys(call).length > 0)
    findings.members(call, `${at}.functionCall`, { name: /./, 'args?': 'object', 'id?': /./ });
}

function checkUsage(usage: Json, findings: Findings): void {
  findings.members(usage, 'usageMetadata', { promptTokenCount: 'count', totalTokenCount: 'count' });
  if (!isObject(usage)) return;
  const sum =
    usage.promptTokenCount +
    (usage.candidatesTokenCount ?? 0) +
    (usage.thoughtsTokenCount ?? 0) +
    (usage.toolUsePromptTokenCount ?? 0);
  findings.expect(
    usage.totalTokenCount === sum,
    `usageMetadata.totalTokenCount is ${usage.totalTokenCount}, not ${sum}`,
  );
}

function toSeen(chunks: readonly Json[], findings: Findings): SeenAnswer {
  const first = chunks[0] ?? {};
  const usage = chunks.at(-1)?.usageMetadata;
  const candidates = chunks.flatMap(({ candidates: list = [] }) => list);
  const own = candidates.filter(({ index = 0 }) => index === 0);
  const parts = own.flatMap(({ content }) => content?.parts ?? []);
  return {
    problems: findings.problems,
    id: first.responseId,
    model: first.modelVersion,
    parts: joinTexts(parts.map(toPart)),
    choices: new Set(candidates.map(({ index = 0 }) => index)).size,
    stop: own.findLast(({ finishReason }) => finishReason !== undefined)?.finishReason ?? '',
    usage: usage && {
      input: usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0),
      cached: usage.cachedContentTokenCount ?? 0,
      output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
      reasoning: usage.thoughtsTokenCount ?? 0,
    },
    echo: { role: 'model', parts },
  };
}

function toPart(part: Json): SeenPart {
  if (part.thought === true) return { kind: 'reasoning', text: part.text ?? '', opaque: part.thoughtSignature ?? '' };
  if (part.text !== undefined) return { kind: 'text', text: part.text };
  if (part.functionCall) {
    const { id = '', name, args = {} } = part.functionCall;
    return { kind: 'call', id, name, input: JSON.stringify(args) };
  }
  const type = DATA.find((name) => part[name] !== undefined);
  if (type === undefined) return { kind: 'reasoning', text: '', opaque: part.thoughtSignature };
  return { kind: 'other', type, value: part };
}

const ERRORS: Readonly<Record<number, readonly string[]>> = {
  400: ['INVALID_ARGUMENT', 'FAILED_PRECONDITION'],
  401: ['UNAUTHENTICATED'],
  403: ['PERMISSION_DENIED'],
  404: ['NOT_FOUND'],
  429: ['RESOURCE_EXHAUSTED'],
  500: ['INTERNAL'],
  503: ['UNAVAILABLE'],
  504: ['DEADLINE_EXCEEDED'],
};

function error(status: number, body: string): string[] {
  const findings = new Findings();
  const value = parse(body, findings, 'the body') ?? {};
  // A stream that is no stream of events answers with a list.
  const answer = Array.isArray(value) ? value[0] : value;
  findings.members(answer?.error, 'error', { code: 'count', message: /./, status: /^[A-Z_]+$/ });
  findings.expect(answer?.error?.code === status, `error.code is ${answer?.error?.code}, the status is ${status}`);
  const wanted = ERRORS[status];
  findings.expect(
    wanted === undefined || wanted.includes(answer?.error?.status),
    `${status} is ${answer?.error?.status}`,
  );
  return findings.problems;
}
