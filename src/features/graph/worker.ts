import { serveTasks } from '../../platform/threads/serve-tasks.ts';
import { type Entity, extractEntities } from './entities.ts';
import { linksOf } from './links.ts';

/** As much of a document as its place in the graph is derived from. */
export interface GraphSource {
  text: string;
  language: string | null;
  html: string[];
}

export interface Projection {
  entities: Entity[];
  links: string[];
}

serveTasks<GraphSource[], Projection[]>(async (sources) =>
  sources.map(({ text, language, html }) => ({
    entities: extractEntities(text, language),
    links: linksOf(html),
  })),
);
