import { type Entry, highlightOf, highlightsOf, parseDate, textOf, textsOf } from './entry.ts';
import { type Fields, fieldsIn, isFields } from './fields.ts';

/** The annotations of Hypothesis: a file of its export, or an answer of its API. */
export function hypothesisItems(value: unknown): Fields[] | undefined {
  const list = isFields(value) ? (value.annotations ?? value.rows) : value;
  const items = fieldsIn(list);
  return items[0] && 'uri' in items[0] && 'target' in items[0] ? items : undefined;
}

/** A note on a whole page, or on a passage of it. */
export function hypothesisEntry({ uri, text, tags, created, target, document }: Fields): Entry {
  const [quote] = fieldsIn(target).flatMap(({ selector }) => quoteIn(selector));
  const titles = isFields(document) ? textsOf([document.title].flat()) : [];
  return {
    url: textOf(uri),
    savedAt: parseDate(created),
    title: titles[0],
    tags: textsOf(tags),
    ...(quote
      ? { highlights: highlightsOf([highlightOf(quote.exact, { ...quote, note: text, created })]) }
      : { note: textOf(text) }),
  };
}

/** The annotations of a W3C Web Annotation page or collection. */
export function webAnnotationItems(value: unknown): Fields[] | undefined {
  if (!isFields(value) || !JSON.stringify(value['@context'] ?? '').includes('www.w3.org/ns/anno'))
    return undefined;
  const page = isFields(value.first) ? value.first : value;
  return fieldsIn(page.items ?? (value.type === 'Annotation' ? [value] : []));
}

export function webAnnotationEntry({ target, body, bodyValue, created }: Fields): Entry {
  const [first] = [target].flat();
  const source = isFields(first) ? first : { source: first };
  const bodies = [body].flat().map((one) => (isFields(one) ? one : { value: one }));
  const valuesOf = (isWanted: (purpose: unknown) => boolean) =>
    bodies
      .filter(({ purpose }) => isWanted(purpose))
      .map(({ value }) => textOf(value))
      .filter(Boolean);
  const note = [textOf(bodyValue), ...valuesOf((purpose) => purpose !== 'tagging')]
    .filter(Boolean)
    .join('\n\n');
  const [quote] = quoteIn([source.selector].flat());
  return {
    url: textOf(source.source) || textOf(source.id),
    savedAt: parseDate(created),
    title: textOf(source.title),
    tags: valuesOf((purpose) => purpose === 'tagging'),
    ...(quote
      ? {
          highlights: highlightsOf([
            highlightOf(quote.exact, { ...quote, note, created, color: source.styleClass }),
          ]),
        }
      : { note }),
  };
}

function quoteIn(selector: unknown): Fields[] {
  return fieldsIn(selector).filter(({ type }) => type === 'TextQuoteSelector');
}
