import '../library/library.css';
import './related.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowDownLeft, ArrowUpRight, Waypoints } from 'lucide-react';
import type { relatedMedia } from '../../../src/contract/graph.ts';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { Wire } from '../api/types.ts';
import { Cover } from '../library/cover.tsx';
import { titleOf } from '../library/format.ts';
import { MetaLine } from '../library/media-summary.tsx';
import { EmptyState, Pending, Skeleton, SkeletonText } from '../ui/states.tsx';

type RelatedMedia = Wire<typeof relatedMedia>;

/** Related documents, and how they are related. */
export function RelatedTab({ mediaId }: { mediaId: string }) {
  const query = useQuery(
    dataQuery<RelatedMedia[]>(queryKeys.related(mediaId), `/media/${mediaId}/related`, { limit: 20 }),
  );
  const related = query.data;
  if (!related) {
    return (
      <Pending query={query}>
        <RelatedSkeleton />
      </Pending>
    );
  }
  if (related.length === 0) {
    return (
      <EmptyState icon={Waypoints} title="Nothing related yet">
        Documents appear here when they mention the same people, places and things as this one, or when they
        link to each other.
      </EmptyState>
    );
  }
  return (
    <ol className="related">
      {related.map((item) => (
        <RelatedItem key={item.media.id} {...item} />
      ))}
    </ol>
  );
}

function RelatedItem({ media, links_to, linked_from, shared_entities, shared_entity_count }: RelatedMedia) {
  const more = shared_entity_count - shared_entities.length;
  return (
    <li className="related-item">
      <Cover media={media} look="thumb" />
      <div className="related-text">
        <h3 className="media-heading">
          <Link to="/read/$mediaId" params={{ mediaId: media.id }} className="media-title">
            {titleOf(media)}
          </Link>
        </h3>
        <MetaLine media={media} />
        <ul className="related-reasons">
          {links_to && (
            <li className="related-link">
              <ArrowUpRight size={14} aria-hidden /> Linked from this document
            </li>
          )}
          {linked_from && (
            <li className="related-link">
              <ArrowDownLeft size={14} aria-hidden /> Links to this document
            </li>
          )}
          {shared_entities.length > 0 && (
            <li>
              Both mention{' '}
              {shared_entities.map(({ kind, name, mentions, mentions_there }, index) => (
                <span key={`${kind}/${name}`}>
                  {index > 0 && ', '}
                  <span
                    className="related-entity"
                    dir="auto"
                    title={`Mentioned ${mentions} times in this document, ${mentions_there} times in the other`}
                  >
                    {name}
                  </span>
                </span>
              ))}
              {more > 0 && ` and ${more} more`}
            </li>
          )}
        </ul>
      </div>
    </li>
  );
}

function RelatedSkeleton() {
  return (
    <div className="related" aria-busy="true">
      {[1, 2, 3].map((line) => (
        <div key={line} className="related-item">
          <Skeleton width="3rem" height="3rem" />
          <div className="related-text">
            <SkeletonText lines={3} />
          </div>
        </div>
      ))}
    </div>
  );
}
