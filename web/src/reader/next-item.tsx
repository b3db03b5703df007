import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { MediaPage, MediaWithOutline } from '../api/types.ts';
import { titleOf } from '../library/format.ts';

/** Offers the newest unread item when this one is finished. */
export function NextItem({ media }: { media: MediaWithOutline }) {
  const isFinished = media.reading?.finished_at != null;
  const { data: next } = useQuery({
    queryKey: queryKeys.nextMedia(media.id),
    queryFn: async ({ signal }) => {
      const { data } = await api.get<MediaPage>(
        '/media',
        { reading: 'unread', archived: false, limit: 5 },
        signal,
      );
      return data.find(({ id, capabilities }) => id !== media.id && capabilities.can_read) ?? null;
    },
    enabled: isFinished,
  });
  if (!isFinished || !next) return null;
  return (
    <Link to="/read/$mediaId" params={{ mediaId: next.id }} search={{}} className="next-item">
      <span className="small muted">Next</span>
      <span className="next-item-title" dir="auto">
        {titleOf(next)}
      </span>
      <ArrowRight size={16} aria-hidden />
    </Link>
  );
}
