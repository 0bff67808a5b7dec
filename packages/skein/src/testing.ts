// The conformance suite of dialects.
export * from '@skein/core/testing';
