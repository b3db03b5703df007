import './tooltip.css';
import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Kbd } from './kbd.tsx';
import { usePortalContainer } from './portal.ts';

export const TooltipProvider = Radix.Provider;

interface TooltipProps {
  label: ReactNode;
  shortcut?: string | undefined;
  children: ReactNode;
}

export function Tooltip({ label, shortcut, children }: TooltipProps) {
  const container = usePortalContainer();
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal {...(container && { container })}>
        <Radix.Content className="tooltip" sideOffset={6} collisionPadding={8}>
          {label}
          {shortcut && <Kbd>{shortcut}</Kbd>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
