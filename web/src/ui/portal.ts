import { createContext, type RefObject, useContext, useRef, useState } from 'react';

/** The element that menus and tooltips are rendered in: the open dialog, if any, because the rest is inert. */
export const PortalContainer = createContext<HTMLElement | null>(null);

export function usePortalContainer(): HTMLElement | undefined {
  return useContext(PortalContainer) ?? undefined;
}

interface ThemedPortal {
  trigger: RefObject<HTMLButtonElement | null>;
  container: HTMLElement | undefined;
  /** Must be called when the menu opens or closes. */
  onOpenChange: (isOpen: boolean) => void;
}

/**
 * The portal of a menu or a panel. Beside a button inside an area with its own colours, such as the reader at night, it is
 * rendered in that area and has the same colours.
 */
export function useThemedPortal(): ThemedPortal {
  const given = usePortalContainer();
  const trigger = useRef<HTMLButtonElement>(null);
  const [themed, setThemed] = useState<HTMLElement>();
  const onOpenChange = (isOpen: boolean) => {
    if (isOpen) setThemed(trigger.current?.closest<HTMLElement>('[data-tint]') ?? undefined);
  };
  return { trigger, container: given ?? themed, onOpenChange };
}
