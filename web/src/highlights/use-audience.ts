import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Highlight, Person } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { audienceQuery } from './queries.ts';

/** The people who see a shared highlight: its author and its audience. None for a private one. */
export function useAudience({ id, visibility, created_by }: Highlight): {
  everybody: readonly Person[];
  /** Everybody but the person. */
  others: readonly Person[];
} {
  const { user } = useSession();
  const { data } = useQuery({ ...audienceQuery(id, []), enabled: visibility !== 'private' });
  return useMemo(() => {
    const everybody = data && visibility !== 'private' ? [created_by, ...data.people] : [];
    return { everybody, others: everybody.filter((person) => person.id !== user.id) };
  }, [data, visibility, created_by, user.id]);
}
