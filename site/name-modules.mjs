// A plug-in of TypeDoc: a module of the reference has the name by which it is imported, not that of its file.
import { Converter, ReflectionKind } from 'typedoc';

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module))
      module.name = module.name.replace(/^(?:packages\/)?([a-z]+)\/src/, '@skein/$1').replace(/\/index$/, '');
  });
}
