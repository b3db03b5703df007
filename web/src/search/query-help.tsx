const CONDITIONS = [
  { text: 'tag:', meaning: 'with this tag' },
  { text: 'is:unread', meaning: 'also reading, finished, favourite, archived, shared, failed' },
  { text: 'in:"library"', meaning: 'in a library' },
  { text: 'site:', meaning: 'of a site' },
  { text: 'author:', meaning: 'by an author' },
  { text: 'kind:pdf', meaning: 'also article, book, video' },
  { text: 'added:>2026-01', meaning: 'added after January 2026; also published:' },
  { text: 'length:<10', meaning: 'shorter than 10 minutes to read' },
  { text: 'has:highlights', meaning: 'also note, tags' },
  { text: '-word', meaning: 'without this word; also before a condition' },
  { text: 'or', meaning: 'one or the other; ( ) to group' },
];

/** The conditions that a search understands. A click adds one to the search. */
export function QueryHelp({ onAdd }: { onAdd: (text: string) => void }) {
  return (
    <details className="query-help">
      <summary>Search by tag, date, site and more</summary>
      <ul>
        {CONDITIONS.map(({ text, meaning }) => (
          <li key={text}>
            <button type="button" className="query-condition" onClick={() => onAdd(text)}>
              {text}
            </button>
            <span className="small muted">{meaning}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
