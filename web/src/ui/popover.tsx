import './popover.css';
import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useThemedPortal } from './portal.ts';

interface PopoverProps {
  label: string;
  trigger: ReactNode;
  children: ReactNode;
  align?: 'start' | 'center' | 'end';
  /** Whether it is open, if the caller decides. */
  isOpen?: boolean;
  onOpen?: (isOpen: boolean) => void;
}

/** A panel beside its button. It is not modal, for the same reason as `Menu`. */
export function Popover({ label, trigger, children, align = 'end', isOpen, onOpen }: PopoverProps) {
  const { trigger: triggerRef, container, onOpenChange } = useThemedPortal();
  return (
    <Radix.Root
      {...(isOpen !== undefined && { open: isOpen })}
      onOpenChange={(next) => {
        onOpenChange(next);
        onOpen?.(next);
      }}
    >
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
