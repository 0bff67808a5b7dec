export {
  type Endpoint,
  type EndpointOptions,
  hasKey,
  MissingBaseUrlError,
  MissingKeyError,
  resolveEndpoint,
  resolveKey,
} from './endpoint.ts';
export type { Environment } from './environment.ts';
export { type ModelRef, ModelRefError, parseModel } from './model-ref.ts';
export { type Modality, type ModelInfo, modelInfo } from './models/model-info.ts';
export { nearest } from './nearest.ts';
export { RefusalMemory, refusing } from './refusal-memory.ts';
export { refusedFields } from './refused-fields.ts';
export { defineProvider, provider, providers, UnknownProviderError } from './registry.ts';
export {
  type Candidate,
  firstThatFits,
  NoModelError,
  type SelectionStrategy,
  type SelectOptions,
  selectModel,
  type Wish,
} from './select.ts';
export type { ServerSentEvent } from './transport/body.ts';
export { type Clock, realClock } from './transport/clock.ts';
export { ProviderError, type ProviderErrorFacts } from './transport/errors.ts';
export type { EventExchange, TextExchange } from './transport/exchange.ts';
export { exchange } from './transport/exchange-on-demand.ts';
export type { ExchangeOptions, Fetch, RetryNotice } from './transport/exchange-options.ts';
export { streamError } from './transport/response-error.ts';
export { DEFAULT_RETRY, type RetryOptions } from './transport/retry.ts';
export { DEFAULT_TIMEOUTS, type Timeouts } from './transport/timeouts.ts';
