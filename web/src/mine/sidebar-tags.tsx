import './sidebar-tags.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight, Tag, Tags } from 'lucide-react';
import { useState } from 'react';
import type { TagLevel } from '../api/types.ts';
import { count } from '../ui/numbers.ts';
import { type TagNode, tagTree } from './tag-tree.ts';
import { tagLevelsQuery } from './tags.ts';

const MOST_SHOWN = 12;
const KEY = 'nexus.sidebar-tags';

/** The tags in the sidebar: the first ones as a tree, and a link to all of them. Nothing when the person has none. */
export function SidebarTags() {
  const { data } = useQuery(tagLevelsQuery);
  const [isOpen, setOpen] = useState(() => localStorage.getItem(KEY) !== 'closed');
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  if (!data || data.levels.length === 0) return null;

  const toggleSection = () => {
    localStorage.setItem(KEY, isOpen ? 'closed' : 'open');
    setOpen(!isOpen);
  };
  const toggle = (name: string) => {
    const next = new Set(expanded);
    if (!next.delete(name)) next.add(name);
    setExpanded(next);
  };
  const nodes = visible(tagTree(data.levels), expanded).slice(0, MOST_SHOWN);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <>
      <button
        type="button"
        className="nav-section nav-section-button"
        aria-expanded={isOpen}
        onClick={toggleSection}
      >
        Tags
        <Chevron size={16} aria-hidden />
      </button>
      {isOpen && (
        <>
          <ul className="nav-tags" aria-label="Tags">
            {nodes.map((node) => (
              <TagEntry
                key={node.name.toLowerCase()}
                node={node}
                isExpanded={expanded.has(node.name)}
                onToggle={toggle}
              />
            ))}
          </ul>
          <Link to="/tags" className="nav-link">
            <Tags size={18} aria-hidden />
            All tags
          </Link>
        </>
      )}
    </>
  );
}

interface TagEntryProps {
  node: TagNode<TagLevel>;
  isExpanded: boolean;
  onToggle: (name: string) => void;
}

function TagEntry({ node: { name, label, depth, tag, children }, isExpanded, onToggle }: TagEntryProps) {
  const Chevron = isExpanded ? ChevronDown : ChevronRight;
  return (
    <li className="nav-tag" style={{ ['--depth' as string]: depth }}>
      <Link
        to="/tagged"
        search={{ tag: name }}
        className="nav-link"
        activeOptions={{ exact: true, includeSearch: true }}
      >
        <Tag size={16} aria-hidden />
        <span className="truncate" dir="auto">
          {label}
        </span>
        {tag && (
          <span className="nav-count">
            {count(tag.nested_count)}
            <span className="visually-hidden"> {tag.nested_count === 1 ? 'item' : 'items'}</span>
          </span>
        )}
      </Link>
      {children.length > 0 && (
        <button
          type="button"
          className="nav-tag-toggle"
          aria-expanded={isExpanded}
          aria-label={`Tags below ${name}`}
          onClick={() => onToggle(name)}
        >
          <Chevron size={16} aria-hidden />
        </button>
      )}
    </li>
  );
}

/** The nodes whose parents are all expanded, in the order of the tree. */
function visible(nodes: readonly TagNode<TagLevel>[], expanded: ReadonlySet<string>): TagNode<TagLevel>[] {
  return nodes.flatMap((node) => [
    node,
    ...(expanded.has(node.name) ? visible(node.children, expanded) : []),
  ]);
}
