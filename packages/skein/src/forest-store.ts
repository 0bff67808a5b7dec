// What authors of stores need.
export * from '@skein/forest/store';
