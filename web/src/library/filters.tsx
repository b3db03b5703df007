import { useQuery } from '@tanstack/react-query';
import { LayoutGrid, List, ListFilter, X } from 'lucide-react';
import { useState } from 'react';
import { dataQuery, queryKeys } from '../api/queries.ts';
import { firstTagsQuery } from '../mine/tags.ts';
import { useSession } from '../session/session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Popover } from '../ui/popover.tsx';
import { KIND_NAMES, KINDS } from './format.ts';
import { libraryTagsQuery } from './library-tags.ts';
import { type ListParams, type ORDERS, oneOf, type SORTS } from './list-params.ts';

type Sort = (typeof SORTS)[number];
type Order = (typeof ORDERS)[number];

interface SiteCount {
  site: string;
  count: number;
}

interface FiltersProps {
  libraryId: string;
  params: ListParams;
  /** The filters that define the list, which cannot be changed. */
  fixed?: ListParams | undefined;
  onChange: (params: ListParams) => void;
  view: View;
  onView: (view: View) => void;
}

const READING_TABS = [
  { value: undefined, label: 'All' },
  { value: 'unread', label: 'Unread' },
  { value: 'reading', label: 'Reading' },
  { value: 'finished', label: 'Finished' },
] as const;
const STATUS_NAMES = { ready: 'Ready', failed: 'Failed', pending: 'Queued' } as const;
/** The options of the sort menu, by their search params. */
const SORT_NAMES: Record<`${Sort} ${Order}`, string> = {
  'added desc': 'Newest first',
  'added asc': 'Oldest first',
  'title asc': 'Title, A to Z',
  'title desc': 'Title, Z to A',
  'published desc': 'Newest published',
  'published asc': 'Oldest published',
  'length desc': 'Longest first',
  'length asc': 'Shortest first',
};

const usualOrder = (sort: Sort): Order => (sort === 'title' ? 'asc' : 'desc');

const anyOr = (any: string, names: Record<string, string>) => [
  { value: '', label: any },
  ...Object.entries(names).map(([value, label]) => ({ value, label })),
];

/** The search params that the Filter button counts and clears. The tabs show the reading status themselves. */
const COUNTED = ['kind', 'library_tag', 'tag', 'favourite', 'status', 'site'] as const;
const CLEARED = Object.fromEntries(COUNTED.map((name) => [name, undefined]));

/** The tabs of the reading status, the Filter button, and the choice between list and grid. */
export function Filters({ libraryId, params, fixed, onChange, view, onView }: FiltersProps) {
  const set = (change: Record<string, string | boolean | undefined>) => {
    const next = Object.entries({ ...params, ...change }).filter(([, value]) => value);
    onChange(Object.fromEntries(next) as ListParams);
  };
  const active = COUNTED.filter((name) => params[name] !== undefined);
  return (
    <>
      <fieldset className="reading-tabs" aria-label="Reading status">
        {READING_TABS.map(({ value, label }) => (
          <button
            key={label}
            type="button"
            className="reading-tab"
            aria-pressed={params.reading === value}
            onClick={() => set({ reading: value })}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <span className="grow filter-chips">
        {active.map((name) => (
          <button
            key={name}
            type="button"
            className="filter-chip"
            aria-label={`Remove filter: ${filterName(params, name)}`}
            onClick={() => set({ [name]: undefined })}
          >
            <span className="truncate">{filterName(params, name)}</span>
            <X size={14} aria-hidden />
          </button>
        ))}
      </span>
      <Popover
        label="Filter and sort"
        trigger={
          <Button size="small" icon={ListFilter} className="filter-button" data-active={active.length > 0}>
            <span className="button-word">Filter</span>
            {active.length > 0 && (
              <span className="filter-count">
                {active.length}
                <span className="visually-hidden"> active</span>
              </span>
            )}
          </Button>
        }
      >
        <FilterPanel
          libraryId={libraryId}
          params={params}
          fixed={fixed}
          set={set}
          isFiltered={active.length > 0}
        />
      </Popover>
      <IconButton
        label={view === 'list' ? 'Show as a grid' : 'Show as a list'}
        icon={view === 'list' ? LayoutGrid : List}
        onClick={() => onView(view === 'list' ? 'grid' : 'list')}
      />
    </>
  );
}

function filterName(params: ListParams, name: (typeof COUNTED)[number]): string {
  if (name === 'kind') return params.kind ? KIND_NAMES[params.kind].label : '';
  if (name === 'library_tag') return `Library tag ${params.library_tag ?? ''}`;
  if (name === 'tag') return params.tag ?? '';
  if (name === 'favourite') return 'Favourites';
  if (name === 'status') return params.status ? STATUS_NAMES[params.status] : '';
  return params.site ?? '';
}

interface FilterPanelProps extends Pick<FiltersProps, 'libraryId' | 'params' | 'fixed'> {
  set: (change: Record<string, string | boolean | undefined>) => void;
  isFiltered: boolean;
}

function FilterPanel({ libraryId, params, fixed = {}, set, isFiltered }: FilterPanelProps) {
  const sites = useQuery({
    ...dataQuery<SiteCount[]>(queryKeys.sites(libraryId), '/media/sites', { library_id: libraryId }),
    staleTime: 60_000,
  });
  const tags = useQuery(firstTagsQuery);
  const { default_library_id } = useSession();
  const isShared = libraryId !== default_library_id;
  const libraryTags = useQuery({ ...libraryTagsQuery(libraryId), enabled: isShared });
  const { sort = 'added', order = usualOrder(sort) } = params;
  const choice = (
    name: 'kind' | 'site' | 'status' | 'tag' | 'library_tag',
    label: string,
    options: { value: string; label: string }[],
  ) => (
    <Field label={label}>
      {({ id }) => (
        <Select
          id={id}
          label={label}
          value={params[name] ?? ''}
          options={options}
          onChange={(value) => set({ [name]: value })}
        />
      )}
    </Field>
  );
  return (
    <div className="filter-panel">
      {choice(
        'kind',
        'Type',
        anyOr('Any type', Object.fromEntries(KINDS.map((kind) => [kind, KIND_NAMES[kind].label]))),
      )}
      {choice('site', 'Site', [
        { value: '', label: 'Any site' },
        ...siteOptions(sites.data, params.site).map(({ site, count }) => ({
          value: site,
          label: count ? `${site} (${count})` : site,
        })),
      ])}
      {(params.library_tag || (isShared && (libraryTags.data?.length ?? 0) > 0)) &&
        choice('library_tag', 'Library tag', [
          { value: '', label: 'Any library tag' },
          ...tagOptions(libraryTags.data, params.library_tag).map((name) => ({ value: name, label: name })),
        ])}
      {fixed.tag === undefined &&
        (params.tag || (tags.data?.tags.length ?? 0) > 0) &&
        choice('tag', 'Tag', [
          { value: '', label: 'Any tag' },
          ...tagOptions(tags.data?.tags, params.tag).map((name) => ({ value: name, label: name })),
        ])}
      {fixed.favourite === undefined && (
        <label className="filter-check">
          <input
            type="checkbox"
            className="checkbox"
            checked={params.favourite === true}
            onChange={(event) => set({ favourite: event.target.checked || undefined })}
          />
          Only favourites
        </label>
      )}
      {choice('status', 'Status', anyOr('Any status', STATUS_NAMES))}
      <Field label="Sort by">
        {({ id }) => (
          <Select
            id={id}
            label="Sort by"
            value={`${sort} ${order}`}
            options={Object.entries(SORT_NAMES).map(([value, label]) => ({ value, label }))}
            onChange={(value) => {
              const [by, direction] = value.split(' ') as [Sort, Order];
              set({
                sort: by === 'added' ? undefined : by,
                order: direction === usualOrder(by) ? undefined : direction,
              });
            }}
          />
        )}
      </Field>
      {isFiltered && (
        <Button size="small" look="ghost" icon={X} onClick={() => set(CLEARED)}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** The selected site stays in the menu even when no media of it is left. */
function siteOptions(known: SiteCount[] | undefined, current: string | undefined) {
  const sites = known ?? [];
  if (!current || sites.some(({ site }) => site === current)) return sites;
  return [{ site: current, count: 0 }, ...sites];
}

/** The selected tag stays in the menu even when it is not among the first ones. */
function tagOptions(known: readonly { name: string }[] = [], current: string | undefined): string[] {
  const names = known.map(({ name }) => name);
  return !current || names.includes(current) ? names : [current, ...names];
}

const KEY = 'nexus.view';
const VIEWS = ['list', 'grid'] as const;
export type View = (typeof VIEWS)[number];

/** List or grid, remembered on this device. */
export function useViewChoice(): [View, (view: View) => void] {
  const [view, setView] = useState<View>(() => oneOf(VIEWS, localStorage.getItem(KEY)) ?? 'list');
  return [
    view,
    (next) => {
      localStorage.setItem(KEY, next);
      setView(next);
    },
  ];
}
