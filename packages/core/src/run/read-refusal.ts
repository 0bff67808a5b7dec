// A module of its own, because the main entry has this function, too, and could not be loaded without it otherwise.
export { refusedFields } from '../providers/refused-fields.ts';
