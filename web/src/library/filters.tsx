import { useQuery } from '@tanstack/react-query';
import { LayoutGrid, List, X } from 'lucide-react';
import { useState } from 'react';
import { dataQuery, queryKeys } from '../api/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { KIND_NAMES, KINDS } from './format.ts';
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
  onChange: (params: ListParams) => void;
  view: View;
  onView: (view: View) => void;
}

const READING_NAMES = { unread: 'Unread', reading: 'In progress', finished: 'Finished' } as const;
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

export function Filters({ libraryId, params, onChange, view, onView }: FiltersProps) {
  const sites = useQuery({
    ...dataQuery<SiteCount[]>(queryKeys.sites(libraryId), '/media/sites', { library_id: libraryId }),
    staleTime: 60_000,
  });
  const set = (change: Record<string, string | undefined>) => {
    const next = Object.entries({ ...params, ...change }).filter(([, value]) => value);
    onChange(Object.fromEntries(next) as ListParams);
  };
  const { sort = 'added', order = usualOrder(sort) } = params;
  const isFiltered = Boolean(params.kind || params.status || params.site || params.reading);
  const choice = (name: keyof ListParams, label: string, options: { value: string; label: string }[]) => (
    <Select
      label={label}
      value={params[name] ?? ''}
      options={options}
      data-set={params[name] !== undefined}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <>
      <fieldset className="list-filters" aria-label="Filters">
        {choice('reading', 'Reading status', anyOr('Read or unread', READING_NAMES))}
        {choice(
          'kind',
          'Type',
          anyOr('Any type', Object.fromEntries(KINDS.map((kind) => [kind, KIND_NAMES[kind].label]))),
        )}
        {choice('status', 'Status', anyOr('Any status', STATUS_NAMES))}
        {choice('site', 'Site', [
          { value: '', label: 'Any site' },
          ...siteOptions(sites.data, params.site).map(({ site, count }) => ({
            value: site,
            label: count ? `${site} (${count})` : site,
          })),
        ])}
        {isFiltered && (
          <Button
            look="ghost"
            size="small"
            icon={X}
            onClick={() => set({ kind: undefined, status: undefined, site: undefined, reading: undefined })}
          >
            Clear filters
          </Button>
        )}
      </fieldset>
      <Select
        label="Sort by"
        className="list-sort"
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
      <IconButton
        label={view === 'list' ? 'Show as a grid' : 'Show as a list'}
        icon={view === 'list' ? LayoutGrid : List}
        onClick={() => onView(view === 'list' ? 'grid' : 'list')}
      />
    </>
  );
}

/** The selected site stays in the menu even when no media of it is left. */
function siteOptions(known: SiteCount[] | undefined, current: string | undefined) {
  const sites = known ?? [];
  if (!current || sites.some(({ site }) => site === current)) return sites;
  return [{ site: current, count: 0 }, ...sites];
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
