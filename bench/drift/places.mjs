/** Finds where our code speaks of a name, so that a report leads to the line that has to change. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** @param {string} name */
const isSource = (name) => /\.ts$/.test(name) && !/\.test\.ts$|^test-/.test(name);

/**
 * The lines of the sources below the folders.
 *
 * @param {string} root Places are told from here.
 * @param {readonly string[]} folders
 */
export function readSources(root, folders) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && isSource(entry.name))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
  );
  // A schema is where a member is added; rules come after it.
  files.sort((a, b) => Number(b.includes('schema')) - Number(a.includes('schema')));
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((text, index) => ({ place: `${relative(root, file)}:${index + 1}`, text })),
  );
}

/** @typedef {ReturnType<typeof readSources>} Sources */

/**
 * @param {string} name
 * @returns {(line: { readonly text: string }) => boolean}
 */
const mentions = (name) => {
  const word = new RegExp(`(?<![\\w-])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\\w-])`);
  return ({ text }) => word.test(text);
};

/**
 * The first place that speaks of the name.
 *
 * @param {Sources} sources
 * @param {string} name
 */
export const findPlace = (sources, name) => sources.find(mentions(name))?.place;

/**
 * The first place of the first name that is spoken of at all: the names come nearest first.
 *
 * @param {Sources} sources
 * @param {readonly string[]} names
 */
export function nearestPlace(sources, names) {
  for (const name of names) {
    const place = findPlace(sources, name);
    if (place) return place;
  }
  return undefined;
}
