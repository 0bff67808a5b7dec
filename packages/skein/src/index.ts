// Messages, requests, the loop with tools, chats and conversations. It runs in Node, browsers and workers.
export * from '@skein/core';
