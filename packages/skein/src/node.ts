// Files: saving and loading conversations, media by their paths.
export * from '@skein/core/node';
