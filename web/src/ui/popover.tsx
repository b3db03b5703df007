import './popover.css';
import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useThemedPortal } from './portal.ts';

interface PopoverProps {
  label: string;
  trigger: ReactNode;
  children: ReactNode;
  align?: 'start' | 'center' | 'end';
}

/** A panel beside its button. It is not modal, for the same reason as `Menu`. */
export function Popover({ label, trigger, children, align = 'end' }: PopoverProps) {
  const { trigger: triggerRef, container, onOpenChange } = useThemedPortal();
  return (
    <Radix.Root onOpenChange={onOpenChange}>
      <Radix.Trigger asChild ref={triggerRef}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal {...(container && { container })}>
        <Radix.Content
          className="popover"
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
