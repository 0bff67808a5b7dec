// Strict local stand-ins for the providers' APIs, for tests.
export * from '@skein/emulator';
