/** The parts of the code whose tests are measured. */

/**
 * `longer` are tests that judge only with `--longer`, best what the others leave. Where `needsPostgres` is true, a server is started
 * for them.
 * @typedef {{ sources: readonly string[], tests: readonly string[], longer?: readonly string[], needsPostgres?: boolean }} Area
 */

/** @type {Readonly<Record<string, Area>>} */
export const AREAS = {
  json: {
    sources: ['packages/core/src/json/*.ts'],
    tests: ['packages/core/src/json/*.test.ts'],
  },
  placement: {
    sources: ['packages/forest/src/record/placement.ts', 'packages/forest/src/record/projection/*.ts'],
    tests: [
      'packages/forest/test/record-{placement-*,projection,server-state}.test.ts',
      'packages/forest/src/record/{placement,projection/*}.test.ts',
    ],
    longer: ['packages/forest/test/record-{clouds,facts,few-facts,orders,retention}.test.ts'],
  },
  writing: {
    sources: ['packages/core/src/dialects/write/*.ts', 'packages/core/src/dialects/*/write-request.ts'],
    tests: [
      'packages/core/src/dialects/write/*.test.ts',
      'packages/core/src/dialects/**/{client-calls,conversation,new-blocks,write-request*}.test.ts',
      'packages/core/test/{wire-rules,written}/*.test.ts',
      'packages/core/test/dialect-conformance.test.ts',
      'packages/core/test/matrix/warm.test.ts',
    ],
    longer: ['packages/core/test/{matrix,pains,loops}/*.test.ts'],
  },
  stores: {
    sources: ['packages/forest/src/store/{*.ts,file/**/*.ts}'],
    tests: ['packages/forest/src/store/{*.test.ts,file/**/*.test.ts}'],
    longer: [
      'packages/forest/src/forest/**/*.test.ts',
      'packages/forest/test/{forest-properties,golden-store,crash/**}.test.ts',
    ],
  },
  postgres: {
    sources: ['packages/forest/src/store/postgres/*.ts'],
    tests: ['packages/forest/{src/store/postgres/*,test/postgres/!(processes|writing-child)}.test.ts'],
    longer: ['packages/forest/test/postgres/processes.test.ts'],
    needsPostgres: true,
  },
};
