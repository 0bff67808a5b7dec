// A server that starts and never says anything.
process.stdin.resume();
