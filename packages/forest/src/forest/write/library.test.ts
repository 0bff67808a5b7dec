import { expect, test } from 'vitest';
import { openForest } from '../../index.ts';

test('prompts are stored, renamed and removed, examples included', async () => {
  const { library, close } = await openForest(':memory:');
  const names = async () => (await library.prompts()).map(({ name }) => name);
  expect(await names()).toEqual(['explain', 'review', 'translate']);
  await library.savePrompt({ name: 'greet', text: 'Greet {{who}}.' });
  await library.savePrompt({ name: 'judge', text: 'Judge this.' }, 'review');
  await library.removePrompt('translate');
  expect(await names()).toEqual(['explain', 'greet', 'judge']);
  await library.savePrompt({ name: 'translate', text: 'Again.' });
  expect(await library.prompts()).toContainEqual({ name: 'translate', text: 'Again.' });
  await close();
});

test('the model of new conversations is chosen, and can be taken back', async () => {
  const { library, close } = await openForest(':memory:');
  expect(await library.model()).toBeUndefined();
  await library.chooseModel('anthropic/one');
  expect(await library.model()).toBe('anthropic/one');
  await library.chooseModel(undefined);
  expect(await library.model()).toBeUndefined();
  await close();
});
