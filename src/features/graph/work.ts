import { type Entity, extractEntities } from './entities.ts';
import { linksOf } from './links.ts';

/** The part of a document that its projection depends on. */
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
