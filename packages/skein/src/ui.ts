// For those who stream an answer to a page.
export * from '@skein/core/ui';
