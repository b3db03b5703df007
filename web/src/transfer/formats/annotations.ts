import { type Entry, highlightOf, highlightsOf, parseDate, textOf, textsOf } from './entry.ts';
import { type Fields, fieldsIn, isFields, listOf } from './fields.ts';

/** The annotations of Hypothesis: a file of its export, or an answer of its API. */
export function hypothesisItems(value: unknown): Fields[] | undefined {
  const list = isFields(value) ? (value.annotations ?? value.rows) : value;
  const items = listOf(list, 'uri', 'target');
  return items && withReplies(items);
}

/** Adds the text of each reply to the annotation that its thread began with. */
function withReplies(items: Fields[]): Fields[] {
  const isReply = ({ references }: Fields) => textsOf(references).length > 0;
  const threads = new Map(items.filter((item) => !isReply(item)).map((item) => [item, [textOf(item.text)]]));
  const byId = new Map([...threads].map(([{ id }, texts]) => [id, texts]));
  for (const item of items.filter(isReply)) {
    const texts = byId.get(textsOf(item.references)[0]);
    if (texts) texts.push(textOf(item.text));
    else threads.set(item, [textOf(item.text)]);
  }
  return [...threads].map(([item, texts]) => ({ ...item, text: texts.filter(Boolean).join('\n\n') }));
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
