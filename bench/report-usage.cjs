// Loaded before a measured program (`node --require`): when the program ends, its CPU time and peak memory are written to
// file descriptor 3. `count-only.mjs` narrows them down to a part of the program.
const { writeFileSync } = require('node:fs');

let before = { userCPUTime: 0, systemCPUTime: 0 };
/** @type {{ cpu: number, memory: number } | undefined} */
let counted;

/** Milliseconds and bytes since `begin`, or since the process started. */
function read() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const micros = userCPUTime + systemCPUTime - before.userCPUTime - before.systemCPUTime;
  return { cpu: micros / 1000, memory: maxRSS * 1024 };
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
