// The cost of importing core before a program does anything: separate processes, against bare Node.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const tellCpu = 'process.on("exit",()=>{const{user,system}=process.cpuUsage();console.log((user+system)/1000)});';

/** An empty module shows what Node itself needs for modules. Peers import what they need for one provider. */
const PROGRAMS = {
  floor: '0',
  skein: 'import("@skein/core")',
  'an empty module': 'import("data:text/javascript,")',
  'OpenAI SDK': 'import("openai")',
  'Anthropic SDK': 'import("@anthropic-ai/sdk")',
  'Vercel AI SDK': 'import("ai"),import("@ai-sdk/openai")',
  'LangChain.js': 'import("@langchain/openai")',
  'TanStack AI': 'import("@tanstack/ai"),import("@tanstack/ai-openai")',
  'pi-ai': 'import("@mariozechner/pi-ai")',
};

/** What is imported beside Skein. */
export function importPrograms() {
  return Object.keys(PROGRAMS).filter((name) => name !== 'floor' && name !== 'skein');
}

/**
 * Milliseconds of each program in each round, by CPU time and by the clock; one process runs at a time.
 * @param {number} rounds
 */
export function measureImports(rounds) {
  const programs = Object.entries(PROGRAMS);
  const empty = () => new Map(programs.map(([name]) => [name, /** @type {number[]} */ ([])]));
  const cpu = empty();
  const clock = empty();
  for (let round = -2; round < rounds; round++) {
    for (const [name, program] of programs) {
      const time = timeOf(program);
      if (round < 0) continue;
      cpu.get(name)?.push(time.cpu);
      clock.get(name)?.push(time.clock);
    }
  }
  return { cpu, clock };
}

/** @param {string} program */
function timeOf(program) {
  const before = process.hrtime.bigint();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', tellCpu + program], {
    cwd: folder,
    encoding: 'utf8',
  });
  const clock = Number(process.hrtime.bigint() - before) / 1e6;
  if (status !== 0) throw new Error(stderr);
  return { cpu: Number(stdout), clock };
}
