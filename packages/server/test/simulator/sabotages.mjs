// What is broken to prove that the simulator of servers notices it: see scripts/sabotage.mjs.
import {
  ACKNOWLEDGE_EARLY,
  IGNORE_FILES_OF_OTHERS,
  LEAVE_OUT_LAST,
} from '../../../forest/test/simulator/sabotages.mjs';

const PROBLEM = 'packages/server/src/http/problem.ts';
const GATEWAY_RECORDING = 'packages/server/src/gateway/memory/recording.ts';
const RESTORE = 'packages/server/src/gateway/memory/restore.ts';
const BACKLOG = 'packages/forest/src/record/backlog.ts';

const SERVERS = [
  {
    holds: 'a message that its client was told of is there',
    says: 'the acknowledged node',
    broken: 'a batch is acknowledged before it is on the disk',
    changes: [ACKNOWLEDGE_EARLY],
    seed: 5,
  },
  {
    holds: 'a thread that its client was told of is there',
    says: 'the acknowledged thread',
    broken: 'nothing is flushed',
    changes: [
      {
        file: 'packages/forest/src/store/file/file-store.ts',
        replace: "const isFlushed = durability === 'disk';",
        by: 'const isFlushed = false;',
      },
    ],
    seed: 3,
  },
  {
    holds: 'titles are those of the last change',
    says: 'the title of',
    broken: 'a change of a title is answered before it is written',
    changes: [
      {
        file: 'packages/server/src/api/threads.ts',
        replace: 'if (title !== undefined) await of.rename(thread, title);',
        by: 'if (title !== undefined) of.rename(thread, title).catch(() => undefined);',
      },
    ],
    seed: 12,
  },
  {
    holds: 'every refusal has a code',
    says: 'a problem has a code',
    broken: 'problems are written without it',
    changes: [{ file: PROBLEM, replace: '    code,\n    detail: message,', by: '    detail: message,' }],
    seed: 1,
  },
  {
    holds: 'no answer has a stack',
    says: 'no answer has a stack',
    broken: 'errors of the server are told to the client',
    changes: [
      {
        file: PROBLEM,
        replace: "'Something went wrong in the server; its log says what.'",
        by: 'String(error.stack)',
      },
    ],
    seed: 3,
  },
  {
    holds: 'what is not there is refused',
    says: 'is refused, with',
    broken: 'an unknown thread is an error of the server',
    changes: [{ file: PROBLEM, replace: 'unknown_thread: 404,', by: 'unknown_thread: 500,' }],
    seed: 3,
  },
  {
    holds: 'the gateway answers',
    says: 'the gateway answered none',
    broken: 'providers are asked at another address',
    changes: [
      {
        file: 'packages/server/src/gateway/request/upstream-fetch.ts',
        replace: 'agents[protocol].dispatch({ origin,',
        by: "agents[protocol].dispatch({ origin: 'http://nobody',",
      },
    ],
    seed: 1,
  },
  {
    holds: 'an answer of the gateway that reached its client is stored',
    says: 'the acknowledged exchange',
    broken: 'an answer does not wait until it is stored',
    changes: [
      {
        file: GATEWAY_RECORDING,
        replace: 'await recording.keepReply(keys, losses).catch(onError);',
        by: 'recording.keepReply(keys, losses).catch(onError);',
      },
    ],
    seed: 2,
  },
  {
    holds: "it is stored with the provider's bytes",
    says: 'the bytes of the answer',
    broken: 'line feeds of the provider are not kept as they were',
    changes: [
      {
        file: GATEWAY_RECORDING,
        replace: 'else recording.upstreamPush(bytes);',
        by: "else recording.upstreamPush(Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\\n', '\\r\\n'), 'latin1'));",
      },
    ],
    seed: 1,
  },
  {
    holds: 'a thread shows every conversation through the gateway',
    says: 'no thread shows the talk',
    broken: "the client's side of an exchange is read as the provider's",
    changes: [
      {
        file: 'packages/forest/src/record/read-exchange.ts',
        replace: 'const { response } = texts.upstream ?? texts;',
        by: 'const { response } = texts;',
      },
    ],
    seed: 1,
  },
  {
    holds: 'a thread shows what a client of the proxy got, whatever became of the server',
    says: 'no thread shows',
    broken: 'nobody looks for the files of processes that died',
    changes: [IGNORE_FILES_OF_OTHERS],
    seed: 1,
  },
  {
    holds: 'an outage of the database loses nothing',
    says: 'an outage loses no recording',
    broken: 'recordings do not wait',
    changes: [
      {
        file: BACKLOG,
        replace: '(error: unknown) => keepFlight(own, error),',
        by: '(error: unknown) => flights.delete(own) && own.fail(error),',
      },
    ],
    seed: 5,
  },
  {
    holds: 'each request to the provider extends the one before it',
    says: 'what is sent ',
    broken: 'a request of the gateway has only the last four messages',
    changes: [
      {
        file: 'packages/server/src/gateway/request/prepare-request.ts',
        replace: 'messages: [...before, ...sent],',
        by: 'messages: [...before, ...sent].slice(-4),',
      },
    ],
    seed: 8,
  },
  {
    holds: 'every thought comes back as it was',
    says: 'the thought of',
    broken: 'the gateway restores no replies',
    changes: [{ file: RESTORE, replace: 'if (!original) continue;', by: 'continue;' }],
    seed: 2,
  },
  {
    holds: 'every thought comes back as it was, whichever process answered',
    says: 'the thought of',
    broken: 'replies of earlier processes are not looked for',
    changes: [
      {
        file: RESTORE,
        replace: 'known.get(exchange) ?? (await readGatewayReply(forest, exchange));',
        by: 'known.get(exchange);',
      },
    ],
    seed: 2,
  },
  {
    holds: "every error has the form of the client's protocol",
    says: 'an error of',
    broken: 'errors of all protocols have one form',
    changes: [
      {
        file: 'packages/server/src/gateway/client/client-error.ts',
        replace: 'JSON.stringify(server.errorBody(served))',
        by: 'JSON.stringify({ message: served.message })',
      },
    ],
    seed: 1,
  },
  {
    holds: 'at the end both servers have the same records',
    says: 'do not agree',
    broken: 'a transfer leaves out the last record of each page',
    changes: [LEAVE_OUT_LAST],
    seed: 1,
  },
];

export const SABOTAGES = SERVERS.map((one) => ({ simulator: 'servers', ...one }));
