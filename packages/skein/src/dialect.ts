// What authors of dialects need, and the side of a dialect that records and serves.
export * from '@skein/core/dialect';
