// Runs the guides for coding agents as they are written: each line of their shell blocks that is a command of Skein.
import { readFile } from 'node:fs/promises';
import { says } from '@skein/emulator';
import { SAID, taskReplies } from './agent.mjs';
import { createPlace } from './place.mjs';

/** @import { Agent } from './agent.mjs' */
/** @import { Ended, Place } from './place.mjs' */
/** @import { World } from './steps.mjs' */

/** The id that stands for any conversation in the guides. */
const ANY_ID = '0mhr';

/**
 * "Never lose a session", with an agent that has logged a session without Skein. `skein watch` goes on until it is ended, and
 * the system's own commands are not run.
 * @param {World} world
 * @param {Agent} agent
 */
export async function neverLoseASession(world, agent) {
  return withLoggedSession(world, agent, async (place) => {
    const problems = [];
    for (const line of await guideLines('never-lose-a-session.md')) {
      if (line === 'skein watch') continue;
      const command = line.replace(/ > .*$/, '').replace(/^skein record -- .*$/, 'record');
      if (command === 'record') world.model.replies = [says(SAID.answer)];
      const ended =
        command === 'record'
          ? await place.skein(['record', '--', ...agent.goOn(SAID.question, agent.own)])
          : await runLine(place, command);
      problems.push(...judge(line, ended));
    }
    return problems;
  });
}

/**
 * "Continue a Claude Code session in Codex": the commands, and then the one that the last of them prints, with a prompt.
 * @param {World} world
 * @param {Agent} agent
 * @param {Agent} other
 */
export async function continueInCodex(world, agent, other) {
  const both = { ...agent, env: { ...agent.env, ...other.env } };
  return withLoggedSession(world, both, async (place) => {
    const problems = [];
    let printed = '';
    for (const line of await guideLines('continue-in-codex.md')) {
      const ended = await runLine(place, line);
      problems.push(...judge(line, ended));
      printed = ended.out.trim();
    }
    const command = printed.split(' && ').at(-1)?.split(' ') ?? [];
    world.model.tool = other.read(place.work).name;
    world.model.replies = [says(SAID.lastAnswer)];
    const from = world.emulator.log.length;
    const ended = await place.skein(['record', '--', ...(other.resume?.(command, SAID.last, other.own) ?? [])]);
    if (!ended.out.includes(SAID.lastAnswer)) problems.push(`${printed} did not go on: ${ended.out}${ended.err}`);
    const asked = world.emulator.log.slice(from).map(({ body }) => body.toString());
    if (!asked.join('\n').includes(SAID.task)) problems.push('the history is not in what was asked');
    return problems;
  });
}

/**
 * @param {World} world
 * @param {Agent} agent
 * @param {(place: Place) => Promise<string[]>} use
 */
async function withLoggedSession({ emulator, model }, agent, use) {
  const place = await createPlace(emulator, agent);
  try {
    model.tool = agent.read(place.work).name;
    model.replies = taskReplies(agent, place.work, agent.own.join(' '));
    const { out, err } = await place.run(agent.ask(SAID.task, agent.own));
    return out.includes(SAID.done) ? await use(place) : [`there is no session: ${out}${err}`];
  } finally {
    await place.remove();
  }
}

/** @param {string} name */
async function guideLines(name) {
  const text = await readFile(new URL(`../../docs/guides/${name}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/\s+#.*$/, '').trim());
  return lines.filter((line) => line.startsWith('skein '));
}

/**
 * @param {Place} place
 * @param {string} line
 */
async function runLine(place, line) {
  const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word).slice(1);
  if (!words.includes(ANY_ID)) return place.skein(words);
  const forest = await place.forest();
  const { items } = await forest.threads.list({});
  await forest.close();
  const id = items.find(({ part }) => part === 'main')?.id ?? '';
  return place.skein(words.map((word) => (word === ANY_ID ? id : word)));
}

/**
 * A search that finds nothing ends with 1 and says so; the guides search for what their reader has.
 * @param {string} line
 * @param {Ended} ended
 */
function judge(line, { status, out, err }) {
  const isSearch = line.startsWith('skein search');
  return status === 0 || (isSearch && status === 1)
    ? []
    : [`${line} ended with ${status}: ${out}${err}`.slice(0, 1000)];
}
