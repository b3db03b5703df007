import './menu.css';
import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Kbd } from './kbd.tsx';
import { useThemedPortal } from './portal.ts';

interface MenuProps {
  trigger: ReactNode;
  children: ReactNode;
  align?: 'start' | 'center' | 'end';
}

/** A menu. It is not modal: a modal one inserts a style element, which the Content-Security-Policy forbids. */
export function Menu({ trigger, children, align = 'end' }: MenuProps) {
  const portal = useThemedPortal();
  const { container } = portal;
  return (
    <Radix.Root modal={false} onOpenChange={portal.onOpenChange}>
      <Radix.Trigger asChild ref={portal.trigger}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal {...(container && { container })}>
        <Radix.Content className="menu" align={align} sideOffset={6} collisionPadding={8}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuItemProps {
  label: string;
  onSelect: () => void;
  icon?: LucideIcon;
  shortcut?: string;
  danger?: boolean;
}

export function MenuItem({ label, onSelect, icon: Icon, shortcut, danger = false }: MenuItemProps) {
  return (
    <Radix.Item className={`menu-item ${danger ? 'menu-item-danger' : ''}`} onSelect={onSelect}>
      {Icon && <Icon size={16} aria-hidden />}
      <span>{label}</span>
      {shortcut && <Kbd>{shortcut}</Kbd>}
    </Radix.Item>
  );
}

interface MenuChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

export function MenuChoice<Value extends string>(props: MenuChoiceProps<Value>) {
  const { label, value, options, onChange } = props;
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as Value)} aria-label={label}>
      <Radix.Label className="menu-label">{label}</Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className="menu-item">
          <span className="menu-check">
            <Radix.ItemIndicator>
              <Check size={16} aria-hidden />
            </Radix.ItemIndicator>
          </span>
          {option.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="menu-label">{children}</Radix.Label>;
}

export function MenuSeparator() {
  return <Radix.Separator className="menu-line" />;
}
