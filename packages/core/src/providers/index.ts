/** Who serves models: descriptors, addresses and keys, the choice of a model, and the transport of requests. */

export { currentModels } from './current-models.ts';
export { type Modality, type ModelInfo, modelInfo } from './model-info.ts';
export { RefusalMemory, refusedFields } from './refused-fields.ts';
export {
  DEMO_ISSUER,
  defineProvider,
  type EndpointOptions,
  type Environment,
  hasKey,
  MissingBaseUrlError,
  MissingKeyError,
  type ModelRef,
  ModelRefError,
  nearest,
  parseModel,
  provider,
  providers,
  resolveEndpoint,
  resolveKey,
  UnknownProviderError,
} from './registry.ts';
export {
  type Candidate,
  firstThatFits,
  type ModelRequirements,
  NoModelError,
  type SelectionStrategy,
  type SelectOptions,
  selectModel,
} from './select-model.ts';
export { type Clock, realClock } from './transport/clock.ts';
export { streamError } from './transport/error-body.ts';
export {
  type EventExchange,
  type ExchangeOptions,
  exchange,
  type Fetch,
  type RetryNotice,
  type RetryOptions,
  type TextExchange,
  type Timeouts,
} from './transport/exchange.ts';
export { ProviderError, readRateLimits } from './transport/provider-error.ts';
export {
  findSigner,
  registerSigner,
  type Signer,
  UnknownSignerError,
  type UnsignedRequest,
} from './transport/signers.ts';
export { type OpenSocket, SocketSession, type SocketSessionOptions } from './transport/socket-session.ts';
