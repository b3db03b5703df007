import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import type { Rule } from '../api/types.ts';
import { librariesQuery } from '../library/queries.ts';
import { mayAddTo } from '../library/roles.ts';

/** Says in a sentence what a rule does. */
export function RuleSentence({ query, actions }: Pick<Rule, 'query' | 'actions'>) {
  const libraries = useQuery(librariesQuery);
  const { tags = [], library_id, archive, favourite, notify } = actions;
  const library = libraries.data?.find(({ id }) => id === library_id);
  const steps: ReactNode[] = [
    tags.length > 0 && (
      <>
        add the {tags.length === 1 ? 'tag' : 'tags'}{' '}
        {joined(
          tags.map((tag) => (
            <span key={tag} className="tag-chip truncate" dir="auto">
              {tag}
            </span>
          )),
        )}
      </>
    ),
    library_id && (
      <>
        add it to{' '}
        {library ? (
          <strong dir="auto">{library.name}</strong>
        ) : libraries.data ? (
          'a library that you no longer have access to'
        ) : (
          '…'
        )}
      </>
    ),
    archive && 'archive it',
    favourite && 'add it to favourites',
    notify && 'notify you',
  ].filter(Boolean);
  return (
    <p className="rule-sentence">
      When a saved item matches{' '}
      <code className="rule-query" dir="auto">
        {query}
      </code>
      , {joined(steps)}.
    </p>
  );
}

/** Says that a rule skips its library, because the person may not add to it now. */
export function LibraryWarning({ actions: { library_id } }: Pick<Rule, 'actions'>) {
  const { data: libraries } = useQuery(librariesQuery);
  if (library_id === undefined || !libraries) return null;
  const library = libraries.find(({ id }) => id === library_id);
  if (library && mayAddTo(library)) return null;
  return (
    <p className="rule-warning">
      {library
        ? `You may no longer add to ${library.name}, so this rule does not add anything to it.`
        : 'The library of this rule does not exist, or you are no longer a member. The rule does not add anything to it.'}
    </p>
  );
}

/** `a`, `a and b`, or `a, b and c`. */
function joined(parts: readonly ReactNode[]): ReactNode {
  return parts.map((part, index) => {
    const separator = index === 0 ? '' : index === parts.length - 1 ? ' and ' : ', ';
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other key
      <Fragment key={index}>
        {separator}
        {part}
      </Fragment>
    );
  });
}
