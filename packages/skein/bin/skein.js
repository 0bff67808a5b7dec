#!/usr/bin/env node
import '@skein/cli/bin';
