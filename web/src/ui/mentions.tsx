import type { ReactNode } from 'react';
import type { Person } from '../api/types.ts';

/** An @ and a username, as the server reads them. A mail address is no mention. */
const MENTION = /(?<![\p{L}\p{N}@._+-])@([A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,126}[A-Za-z0-9])?)/gu;

/** Returns a text with the names of the people whom it mentions. Names of others stay as they were typed. */
export function withMentions(text: string, people: readonly Person[]): ReactNode {
  if (people.length === 0 || !text.includes('@')) return text;
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(MENTION)) {
    const person = people.find(({ username }) => username.toLowerCase() === match[1]?.toLowerCase());
    if (!person) continue;
    parts.push(
      text.slice(end, match.index),
      <span key={match.index} className="mention" title={`@${person.username}`}>
        @{person.display_name}
      </span>,
    );
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}
