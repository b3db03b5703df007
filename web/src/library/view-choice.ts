import { useState } from 'react';
import { oneOf, VIEWS } from './list-params.ts';

const KEY = 'nexus.view';
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
