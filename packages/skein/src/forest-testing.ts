// The conformance suite of stores.
export * from '@skein/forest/testing';
