// What is broken to prove that the simulators of machines and of many servers notice it: see scripts/sabotage.mjs.

const HISTORY = 'packages/forest/src/engine/history.ts';
const SEGMENT = 'packages/forest/src/store/file/segment.ts';
const STORE_PEER = 'packages/forest/src/sync/store-peer.ts';
const SEGMENT_WRITER = 'packages/forest/src/store/file/segment-writer.ts';
/** Nobody looks again for what was missed: by itself, that would heal within a minute what these break. */
const NEVER_LOOK_AGAIN = {
  file: 'packages/forest/src/record/projection/repeat-later.ts',
  replace: 'LOOK_AGAIN_MS = 30_000',
  by: 'LOOK_AGAIN_MS = 86_400_000',
};
const BACKLOG = 'packages/forest/src/record/backlog.ts';
const TREE_WRITER = 'packages/forest/src/record/projection/tree-writer.ts';

/** These break what the simulator of servers checks, too. */
export const ACKNOWLEDGE_EARLY = { file: SEGMENT_WRITER, replace: 'if (isFlushed) await to.appender.sync();', by: '' };
export const IGNORE_FILES_OF_OTHERS = {
  file: BACKLOG,
  replace: 'let hasOthers = folder !== undefined;',
  by: 'let hasOthers = false;',
};
export const LEAVE_OUT_LAST = {
  file: 'packages/forest/src/sync/transfer.ts',
  replace: 'if (records.length > 0) await to.write(records);',
  by: 'if (records.length > 1) await to.write(records.slice(0, -1));',
};

const MACHINES = [
  {
    holds: 'acknowledged records are there, with their texts',
    says: 'the acknowledged node',
    broken: 'a batch is acknowledged before it is on the disk',
    changes: [ACKNOWLEDGE_EARLY],
    seed: 5,
  },
  {
    holds: 'acknowledged records are there, with their texts',
    says: 'the acknowledged node',
    broken: 'the name of a new segment is not flushed',
    changes: [
      { file: SEGMENT_WRITER, replace: 'if (isFlushed && !to.isNamed) await files.sync(folders.segments);', by: '' },
    ],
    seed: 2,
  },
  {
    holds: '`fsck` is clean',
    says: 'fsck finds',
    broken: 'the records of an incomplete batch count',
    changes: [{ file: SEGMENT, replace: 'if (!isWhole && !batch.isEnded) return earlier;', by: '' }],
    seed: 87,
  },
  {
    holds: '`fsck` is clean',
    says: 'fsck finds',
    broken: 'what another machine sends is not compared with its hash',
    changes: [
      {
        file: STORE_PEER,
        replace: 'const fault = item && hashFault(record);',
        by: 'const fault = undefined;',
      },
    ],
    seed: 40,
  },
  {
    holds: '`fsck` names what was damaged',
    says: 'fsck does not name',
    broken: 'a line that cannot be read is passed over',
    changes: [
      {
        file: SEGMENT,
        replace: 'segment.isDamaged = true;\n    report(reading, segment, start, problem);',
        by: 'segment.isDamaged = true;',
      },
      {
        file: 'packages/forest/src/store/file/maintenance.ts',
        replace: 'else problems.push({ ...damagedLine(findSubject(bytes)), where });',
        by: '',
      },
    ],
    seed: 1,
  },
  {
    holds: 'a thread shows every recorded conversation as its client saw it',
    says: 'no thread shows',
    broken: 'the head of a recorded thread stays at its first answer',
    changes: [
      {
        file: 'packages/forest/src/record/projection/place-exchange.ts',
        replace: 'before && leadsTo(index, last, before.head) ? before.head : last;',
        by: 'before ? before.head : last;',
      },
    ],
    seed: 1,
  },
  {
    holds: 'each request extends the one before it',
    says: 'what is sent has every question',
    broken: 'a request has only the last three messages',
    changes: [
      {
        file: 'packages/forest/src/engine/history.ts',
        replace: '  return path;\n}',
        by: '  return path.slice(-3);\n}',
      },
    ],
    seed: 1,
  },
  {
    holds: 'each request extends the one before it',
    says: 'what is sent extends what was sent',
    broken: 'older messages are sent with other white space, and no manifest says what was sent before',
    changes: [
      {
        file: HISTORY,
        replace: 'readMessage(store, record, bodies[index], ',
        by: 'readMessage(store, record, index < path.length - 3 && bodies[index] ? JSON.stringify(JSON.parse(bodies[index]), null, 1) : bodies[index], ',
      },
      {
        file: HISTORY,
        replace:
          'previous: digest === undefined ? undefined : { digest, manifest: await readManifest(store, digest) },',
        by: 'previous: undefined,',
      },
    ],
    seed: 1,
  },
  {
    holds: 'machines that met have the same records',
    says: 'do not agree',
    broken: 'a message that arrives loses its role',
    changes: [
      {
        file: STORE_PEER,
        replace: 'records.map(({ record }) => record)',
        by: "records.map(({ record }) => record.k === 'node' ? { ...record, facts: { ...record.facts, role: 'other' } } : record)",
      },
    ],
    seed: 1,
  },
  {
    holds: 'a second meeting sends nothing',
    says: 'a second meeting sends nothing',
    broken: 'a transfer leaves out the last record of each page',
    changes: [LEAVE_OUT_LAST],
    seed: 1,
  },
  {
    holds: 'a second meeting sends nothing',
    says: 'a second meeting sends nothing',
    broken: 'the time of the last meeting travels',
    changes: [
      {
        file: STORE_PEER,
        replace: '(record.key === OWN_VALUES.key || record.key === CLAIMS)',
        by: 'record.key === CLAIMS',
      },
    ],
    seed: 1,
  },
  {
    holds: 'damage of one machine does not reach another',
    says: 'the damage of',
    broken: 'what names a damaged message is sent',
    changes: [
      {
        file: STORE_PEER,
        replace: 'return gone.size === 0 ? refs : refs.filter((ref) => !namedNodes(ref).some((id) => gone.has(id)));',
        by: 'return refs;',
      },
    ],
    seed: 3,
  },
];

const MANY_SERVERS = [
  {
    holds: 'every answer that its client had whole is recorded',
    says: 'is stored',
    broken: 'what waits is not written to the disk',
    changes: [{ file: BACKLOG, replace: 'await (await openFiles(folder)).append(records);', by: '' }],
    seed: 1,
  },
  {
    holds: 'every answer that its client had whole is recorded',
    says: 'is stored',
    broken: 'nobody looks for the files of processes that died',
    changes: [IGNORE_FILES_OF_OTHERS],
    seed: 1,
  },
  {
    holds: 'it is recorded once',
    says: 'is recorded once',
    broken: 'what waited is stored under another id',
    changes: [
      {
        file: 'packages/forest/src/record/waiting-records.ts',
        replace: "if (record.k !== 'exchange' || record.of",
        by: `if (record.k === 'exchange') record = record.of === EXCHANGES
          ? { ...record, id: record.id + 'w', data: { ...record.data, id: record.id + 'w' } }
          : { ...record, id: record.id + 'w', of: record.of + 'w' };
        if (record.k !== 'exchange' || record.of`,
      },
    ],
    seed: 6,
  },
  {
    holds: 'it has a place',
    says: 'has its place',
    broken: 'a server that ends stores what waited and does not place it, and the next start does not look',
    changes: [
      NEVER_LOOK_AGAIN,
      { file: BACKLOG, replace: 'attempt().then(() => placing)', by: 'attempt()' },
      { file: BACKLOG, replace: 'let mayBeUnplaced = folder !== undefined;', by: 'let mayBeUnplaced = false;' },
    ],
    seed: 7,
  },
  {
    holds: 'its place is below exactly what its client had seen',
    says: 'is below what its client saw',
    broken: 'of a long history, the first new message is left out',
    changes: [
      {
        file: 'packages/forest/src/record/projection/place-exchange.ts',
        replace: 'history.messages.slice(matched), take)',
        by: 'history.messages.slice(matched > 3 ? matched + 1 : matched), take)',
      },
    ],
    seed: 1,
  },
  {
    holds: 'its thread is there',
    says: 'is there, with its head',
    broken: 'threads are not written',
    changes: [{ file: TREE_WRITER, replace: '...(await makeThreadRefs(forest, index, changes)),', by: '' }],
    seed: 1,
  },
  {
    holds: 'exchanges have the places that a single server gives them',
    says: 'is placed as by a single server',
    broken: 'an exchange that arrives late is placed behind those that were there',
    changes: [
      {
        file: 'packages/forest/src/record/projection/projector.ts',
        replace: 'applyInOrder([...placed.undoFrom(first), ...todo])',
        by: 'applyInOrder(todo)',
      },
    ],
    seed: 11,
  },
  {
    holds: 'a project has the messages that a single server gives it',
    says: 'has the messages that it has with a single server',
    broken: 'messages that no exchange uses any more stay',
    changes: [{ file: TREE_WRITER, replace: '...redirects,', by: '' }],
    seed: 1,
  },
  {
    holds: 'every recorder has placed everything',
    says: 'each recorder has placed everything',
    broken: 'of exchanges that end together, one is counted',
    changes: [
      {
        file: 'packages/forest/src/record/recorder.ts',
        replace: 'endsWaiting -= ends;',
        by: 'endsWaiting -= Math.min(ends, 1);',
      },
    ],
    seed: 1,
  },
  {
    holds: 'nothing waits',
    says: 'keeps nothing',
    broken: 'after an outage began, the store is tried once',
    changes: [
      NEVER_LOOK_AGAIN,
      { file: BACKLOG, replace: 'while (hasWork() && !isClosed) {', by: 'for (let tries = 0; tries < 1; tries++) {' },
      { file: BACKLOG, replace: 'if (hasWork()) start();', by: '' },
    ],
    seed: 2,
  },
  {
    holds: 'no exchange waits for its place for longer than a minute',
    says: 'an exchange had its place after',
    broken: 'exchanges are placed after ten minutes',
    changes: [
      NEVER_LOOK_AGAIN,
      {
        file: 'packages/forest/src/record/recorder.ts',
        replace: '{ pauseMs: 50, latestMs: 2000 }',
        by: '{ pauseMs: 600_000, latestMs: 600_000 }',
      },
    ],
    seed: 1,
  },
  {
    holds: 'no recorder reports anything',
    says: 'no recorder reports anything',
    broken: 'an outage while exchanges are placed counts as a failure',
    changes: [{ file: BACKLOG, replace: 'if (isOutage(error)) return start();', by: '' }],
    seed: 12,
  },
];

export const SABOTAGES = [
  ...MACHINES.map((one) => ({ simulator: 'machines', ...one })),
  ...MANY_SERVERS.map((one) => ({ simulator: 'many servers', ...one })),
];
