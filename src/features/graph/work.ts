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

/** The tasks of a projection process. */
export const projectionWork = {
  project: (sources: GraphSource[]): Projection[] =>
    sources.map(({ text, language, html }) => ({
      entities: extractEntities(text, language),
      links: linksOf(html),
    })),
};
