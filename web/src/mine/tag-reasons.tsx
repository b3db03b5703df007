import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { TagReason } from '../api/types.ts';
import { dayOf } from '../ui/dates.ts';
import { Pending, SkeletonText } from '../ui/states.tsx';

/** Says of each tag of an item who or what added it: the person, an import or a rule. */
export function TagReasons({ mediaId }: { mediaId: string }) {
  const query = useQuery({
    ...dataQuery<TagReason[]>(queryKeys.tagReasons(mediaId), `/media/${mediaId}/tags`),
    staleTime: 0,
  });
  return (
    <>
      <Pending query={query}>
        <SkeletonText lines={2} />
      </Pending>
      {query.data?.length === 0 && <p className="small muted">It has no tags.</p>}
      {query.data && query.data.length > 0 && (
        <ul className="tag-reasons" aria-label="Why these tags?">
          {query.data.map((reason) => (
            <li key={reason.name}>
              <span className="tag-chip truncate" dir="auto">
                {reason.name}
              </span>
              <span>
                <Reason {...reason} /> <span className="muted">on {dayOf(reason.created_at)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Reason({ added_by, rule }: TagReason) {
  if (added_by === 'person') return 'Added by you';
  if (added_by === 'import') return 'Came with an import';
  if (!rule) return 'Added by a rule that was deleted';
  return (
    <>
      Added by the rule <Link to="/rules">{rule.name}</Link>
    </>
  );
}
