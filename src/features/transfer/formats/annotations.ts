import type { JudgedDocument, WireHighlight } from '../exported-document.ts';
import { quoteOf } from './quote-of.ts';

/** Writes the lines before all annotations, and after them: a page of the W3C Web Annotation model. */
export const ANNOTATIONS_HEAD =
  '{"@context":"http://www.w3.org/ns/anno.jsonld","type":"AnnotationPage","items":[';
export const ANNOTATIONS_TAIL = '\n]}\n';

/** Writes the highlights, the note and the tags of a document as Web Annotations, one in a line. */
export function annotationsOf(document: JudgedDocument): string {
  const { id, url, mine, highlights, added_at } = document;
  const source = url ?? urn(id);
  const title = document.shown_title ?? document.title ?? undefined;
  const whole = { type: 'SpecificResource', source, title };
  const kept = [...mine.tags.map((tag) => body(tag, 'tagging')), ...noteBodies(mine.note)];
  const annotations = highlights.map((highlight) => annotationOf(highlight, whole));
  if (kept.length > 0)
    annotations.unshift({
      id: `${urn(id)}#note`,
      type: 'Annotation',
      created: added_at,
      body: kept,
      target: whole,
    });
  return annotations.map((annotation) => JSON.stringify(annotation)).join(',\n');
}

/**
 * The position is left out: it counts characters of the text that Nexus extracted, which no other program has. The colour is
 * the class of the target.
 */
function annotationOf(
  { id, target, color, note, created_at, updated_at }: WireHighlight,
  whole: object,
): object {
  const { exact, prefix, suffix } = quoteOf(target);
  return {
    id: urn(id),
    type: 'Annotation',
    motivation: note === null ? 'highlighting' : 'commenting',
    created: created_at,
    modified: updated_at,
    ...(note !== null && { body: noteBodies(note) }),
    target: { ...whole, styleClass: color, selector: { type: 'TextQuoteSelector', exact, prefix, suffix } },
  };
}

const urn = (id: string) => `urn:uuid:${id}`;

function noteBodies(note: string | null): object[] {
  return note === null ? [] : [{ ...body(note, 'commenting'), format: 'text/markdown' }];
}

const body = (value: string, purpose: string) => ({ type: 'TextualBody', value, purpose });
