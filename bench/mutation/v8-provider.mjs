/** Vitest looks for its provider of coverage among the packages of the repository; ours is installed in this folder. */
import v8 from './node_modules/@vitest/coverage-v8/dist/index.js';

/** @type {import('vitest/node').CoverageProviderModule} */
const provider = {
  ...v8,
  async getProvider() {
    const found = await v8.getProvider();
    const resolveOptions = found.resolveOptions.bind(found);
    found.resolveOptions = () => ({
      ...resolveOptions(),
      provider: 'custom',
      customProviderModule: import.meta.filename,
    });
    return found;
  },
};
export default provider;
