import { createContext, useContext } from 'react';

/** The element that menus and tooltips are rendered in: the open dialog, if any, because the rest is inert. */
export const PortalContainer = createContext<HTMLElement | null>(null);

export function usePortalContainer(): HTMLElement | undefined {
  return useContext(PortalContainer) ?? undefined;
}
