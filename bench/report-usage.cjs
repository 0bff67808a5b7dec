// Loaded before a measured program (`node --require`): when the program ends, its CPU time and peak memory are written to
// file descriptor 3. `count-only.mjs` narrows them down to a part of the program. With `SKEIN_BENCH_IN_USE`, memory is not that
// of the process but the most that was in use behind a collection of garbage, every two seconds: without what V8 has not collected yet.
const { writeFileSync } = require('node:fs');

let before = { userCPUTime: 0, systemCPUTime: 0 };
/** @type {{ cpu: number, memory: number } | undefined} */
let counted;

const SAMPLE_MS = 2000;
let live = 0;
const gc = process.env.SKEIN_BENCH_IN_USE ? globalThis.gc : undefined;
if (gc) setInterval(sample, SAMPLE_MS).unref();

function sample() {
  gc?.();
  const { heapUsed, external } = process.memoryUsage();
  live = Math.max(live, heapUsed + external);
}

/** Milliseconds and bytes since `begin`, or since the process started. */
function read() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const micros = userCPUTime + systemCPUTime - before.userCPUTime - before.systemCPUTime;
  return { cpu: micros / 1000, memory: gc ? live : maxRSS * 1024 };
}

Object.assign(globalThis, {
  skeinBench: {
    begin() {
      forgetPeak();
      before = process.resourceUsage();
    },
    end() {
      counted = read();
    },
  },
});

/** Only Linux can start the peak anew; elsewhere it is the peak of the whole process. */
function forgetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {}
}

process.on('exit', () => writeFileSync(3, JSON.stringify(counted ?? read())));
