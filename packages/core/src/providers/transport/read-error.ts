// A module of its own, because the main entry has some of it, too, and could not be loaded without it otherwise.
export { explain } from './explain.ts';
export { secretsOf } from './redact.ts';
export { responseError, strangeError, streamError, unstreamedError } from './response-error.ts';
export { waitToRetry } from './retry.ts';
