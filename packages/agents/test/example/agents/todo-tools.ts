import { tool } from '@skein/core';

const tasks: string[] = [];

export const addTask = tool({
  name: 'add_task',
  description: 'Puts a task on the list',
  input: {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  },
  execute: ({ title }, { note }) => {
    tasks.push(String(title));
    note(`Added: ${String(title)}`);
    return { tasks };
  },
});

export const clearTasks = tool({
  name: 'clear_tasks',
  description: 'Removes all tasks',
  execute: () => {
    tasks.length = 0;
    return 'The list is empty.';
  },
});
