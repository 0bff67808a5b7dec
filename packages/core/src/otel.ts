/** Spans by the OpenTelemetry conventions for generative AI. Apart from the main entry, since few need it. */
import { type Attributes, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { RequestParams, Usage } from './dialects/index.ts';
import type { Message } from './message/index.ts';
import { providers } from './providers/index.ts';
import type { ObserverEvent } from './run/index.ts';

/** What the spans of `otelObserver` hold. */
export interface OtelOptions {
  /** Whether texts, arguments and results are written, too; they also need `observePayloads` of the run. Default false. */
  readonly payloads?: boolean | undefined;
}

/**
 * An `observer` that makes a span `chat {model}` of every request and a span `execute_tool {name}` of every call, below
 * the span that is active where the run was started. One serves any number of runs.
 *
 * @example
 * const observer = otelObserver(trace.getTracer('my-app'));
 * await run({ model, messages, observer }).result;
 */
export function otelObserver(
  tracer: Pick<Tracer, 'startSpan'>,
  { payloads = false }: OtelOptions = {},
): (event: ObserverEvent) => void {
  const runs = new Map<number, RunSpans>();
  return (event) => {
    let spans = runs.get(event.run);
    if (!spans) {
      spans = new RunSpans(tracer, payloads);
      runs.set(event.run, spans);
    }
    spans.observe(event);
    if (event.type === 'finish' || event.type === 'failed') runs.delete(event.run);
  };
}

/** The spans of one run that are open. */
class RunSpans {
  readonly #tracer: Pick<Tracer, 'startSpan'>;
  readonly #payloads: boolean;
  #chat: Span | undefined;
  /** A failed request may still have a reply, as far as it came. */
  #failedAt: number | undefined;
  readonly #tools = new Map<string, Span>();

  constructor(tracer: Pick<Tracer, 'startSpan'>, payloads: boolean) {
    this.#tracer = tracer;
    this.#payloads = payloads;
  }

  observe(event: ObserverEvent): void {
    const { at } = event;
    switch (event.type) {
      case 'request':
        // Sent anew, without a field or to another model.
        this.#endChat(at);
        this.#chat = this.#tracer.startSpan(`chat ${event.model}`, {
          kind: SpanKind.CLIENT,
          startTime: at,
          attributes: defined({
            ...about('chat', event),
            ...paramAttributes(event.params),
            'skein.request.body': this.#payloads ? event.body : undefined,
          }),
        });
        break;
      case 'first-event':
        this.#chat?.setAttribute('gen_ai.response.time_to_first_chunk', event.ms / 1000);
        break;
      case 'retry':
        this.#chat?.addEvent('skein.retry', { 'skein.attempt': event.attempt, 'error.type': event.code }, at);
        break;
      case 'request-failed':
        this.#chat?.setAttributes(defined({ 'http.response.status_code': event.status }));
        fail(this.#chat, event.code);
        this.#failedAt = at;
        break;
      case 'response':
        this.#chat?.setAttributes(
          defined({
            'gen_ai.response.model': event.replyModel,
            'gen_ai.response.finish_reasons': [event.stop.native ?? event.stop.reason],
            ...usageAttributes(event.usage),
            'skein.usage.estimated': event.estimated || undefined,
            'skein.request_id': event.requestId,
            'skein.cost.usd': event.cost,
            'gen_ai.output.messages': this.#payloads ? outputText(event.message, event.stop.reason) : undefined,
          }),
        );
        this.#endChat(at);
        break;
      case 'tool-start':
        this.#tools.set(
          event.callId,
          this.#tracer.startSpan(`execute_tool ${event.name}`, {
            kind: SpanKind.INTERNAL,
            startTime: at,
            attributes: defined({
              'gen_ai.operation.name': 'execute_tool',
              'gen_ai.tool.name': event.name,
              'gen_ai.tool.call.id': event.callId,
              'gen_ai.tool.type': 'function',
              'gen_ai.tool.call.arguments': this.#payloads ? event.arguments : undefined,
            }),
          }),
        );
        break;
      case 'tool-end': {
        const span = this.#tools.get(event.callId);
        this.#tools.delete(event.callId);
        if (this.#payloads) span?.setAttributes(defined({ 'gen_ai.tool.call.result': event.message?.text }));
        if (event.outcome !== 'done') fail(span, event.outcome);
        span?.end(at);
        break;
      }
      case 'finish':
      case 'failed':
        this.#endChat(at);
        for (const span of this.#tools.values()) span.end(at);
    }
  }

  #endChat(at: number): void {
    this.#chat?.end(this.#failedAt ?? at);
    this.#chat = undefined;
    this.#failedAt = undefined;
  }
}

/** Who stops a run knows of it: that is no error. */
function fail(span: Span | undefined, code: string): void {
  span?.setAttribute('error.type', code);
  if (code !== 'aborted') span?.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

function about(operation: string, { provider, model }: { provider: string; model: string }): Attributes {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': providers().find(({ id }) => id === provider)?.names?.otel ?? provider,
    'gen_ai.request.model': model,
  };
}

function paramAttributes({ maxTokens, temperature, topP, stop, seed, stream }: RequestParams): Attributes {
  return {
    'gen_ai.request.max_tokens': maxTokens,
    'gen_ai.request.temperature': temperature,
    'gen_ai.request.top_p': topP,
    'gen_ai.request.stop_sequences': stop && [...stop],
    'gen_ai.request.seed': seed,
    'gen_ai.request.stream': stream || undefined,
  };
}

/** Our buckets are disjoint; those of the conventions hold what was cached and thought, too. */
function usageAttributes(usage: Usage | undefined): Attributes {
  if (!usage) return {};
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  const cacheWrite = cacheWrite5m + cacheWrite1h;
  return {
    'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
    'gen_ai.usage.output_tokens': output + reasoning,
    'gen_ai.usage.reasoning.output_tokens': reasoning || undefined,
    'gen_ai.usage.cache_read.input_tokens': cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
  };
}

function outputText(message: Message | undefined, reason: string): string | undefined {
  if (!message) return undefined;
  const parts = message.content.map((block) => {
    if (block.type === 'text' || block.type === 'reasoning') return { type: block.type, content: block.text };
    if (block.type !== 'tool-use') return { type: block.type };
    return { type: 'tool_call', id: block.id, name: block.name, arguments: block.parameters };
  });
  return JSON.stringify([{ role: message.role, parts, finish_reason: reason }]);
}

function defined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
