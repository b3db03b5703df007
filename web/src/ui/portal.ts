import { createContext, useContext } from 'react';

/** What floats above the page must be inside of the open dialog, if there is one: all else is inert then. */
export const PortalContainer = createContext<HTMLElement | null>(null);

export function usePortalContainer(): HTMLElement | undefined {
  return useContext(PortalContainer) ?? undefined;
}
