#!/usr/bin/env node
// npm links commands when it installs, and in a clone nothing is built by then: this file is always there.
import { existsSync } from 'node:fs';
import module from 'node:module';

const built = new URL('../dist/skein.js', import.meta.url);
if (existsSync(built)) {
  // From Node 22.1 on, compiled code is kept between two starts, in the folder for temporary files.
  module.enableCompileCache?.();
  await import(built.href);
} else {
  console.error('skein: it is not built yet: run npm start once.');
  process.exitCode = 1;
}
