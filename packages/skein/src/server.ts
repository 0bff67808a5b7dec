// The HTTP API, the recording proxy and the gateway.
export * from '@skein/server';
