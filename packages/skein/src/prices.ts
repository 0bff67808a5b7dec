// Prices and limits of models.
export * from '@skein/core/prices';
