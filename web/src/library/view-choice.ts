import { useState } from 'react';
import { oneOf, VIEWS } from './list-search.ts';

const KEY = 'nexus.view';
export type View = (typeof VIEWS)[number];

/** List or grid: a habit of the person on this device, so it is remembered here and not in the address. */
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
