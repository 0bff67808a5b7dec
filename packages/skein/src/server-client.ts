// The typed client of the HTTP API.
export * from '@skein/server/client';
