// Branching conversations in files, PostgreSQL or memory; the engine, recording, import and export.
export * from '@skein/forest';
