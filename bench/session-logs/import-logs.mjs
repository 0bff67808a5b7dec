// Imports the logs of a folder into a store of files, as `skein import` does.
import { createForest, fileStore, importSessions } from '@skein/forest';

const [folder = '', store = ''] = process.argv.slice(2);
const opened = await fileStore(store);
const { problems, messages } = await importSessions(createForest(opened), { agents: ['claude-code'], folder });
await opened.close();
if (problems.length > 0 || (messages === 0 && !process.argv.includes('--again')))
  throw new Error(JSON.stringify(problems[0] ?? 'Nothing was imported.'));
