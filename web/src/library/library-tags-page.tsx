import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Tags } from 'lucide-react';
import { TagManager } from '../mine/tag-manager.tsx';
import { tagsOfLibrary } from '../mine/tag-set.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState, Pending, SkeletonText } from '../ui/states.tsx';
import { LibraryGone } from './library-gone.tsx';
import { librariesQuery } from './queries.ts';

const route = getRouteApi('/signed-in/library/$libraryId/tags');

/** All tags of a shared library. Its editors rename, merge and delete them. */
export default function LibraryTagsPage() {
  const { libraryId } = route.useParams();
  const libraries = useQuery(librariesQuery);
  const library = libraries.data?.find(({ id, is_default }) => id === libraryId && !is_default);
  usePageTitle(library ? `Tags in ${library.name}` : 'Tags');
  if (libraries.data && !library) return <LibraryGone />;
  if (!library) {
    return (
      <Pending query={libraries}>
        <SkeletonText lines={8} />
      </Pending>
    );
  }
  const mayChange = library.role === 'admin';
  return (
    <TagManager
      key={libraryId}
      title={`Tags in ${library.name}`}
      lead={`All members see these tags. ${mayChange ? 'Changes apply to every item in the library.' : 'Only editors can rename and delete them.'}`}
      set={tagsOfLibrary(libraryId)}
      label={`Tags in ${library.name}`}
      mayChange={mayChange}
      linkTo={({ name, label }) => (
        <Link
          to="/library/$libraryId"
          params={{ libraryId }}
          search={{ library_tag: name }}
          className="tag-row-name"
          dir="auto"
          aria-label={name}
        >
          {label}
        </Link>
      )}
      empty={
        <EmptyState icon={Tags} title="No library tags yet">
          Add them with the menu of an item in the library, or select several items.
        </EmptyState>
      }
    />
  );
}
