import { Link } from '@tanstack/react-router';
import { Tags } from 'lucide-react';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState } from '../ui/states.tsx';
import { TagManager } from './tag-manager.tsx';
import { ownTags } from './tag-set.ts';

/** All tags of the person. */
export default function TagsPage() {
  usePageTitle('Tags');
  return (
    <TagManager
      title="Tags"
      lead="Only you see your tags."
      set={ownTags}
      label="Your tags"
      mayChange
      linkTo={({ name, label }) => (
        <Link to="/tagged" search={{ tag: name }} className="tag-row-name" dir="auto" aria-label={name}>
          {label}
        </Link>
      )}
      empty={
        <EmptyState icon={Tags} title="No tags yet">
          Add tags to an item with its menu
          <span className="only-keyboard">, or with the key T</span>, or when you save it.
        </EmptyState>
      }
    />
  );
}
