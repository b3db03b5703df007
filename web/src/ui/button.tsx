import './button.css';
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Tooltip } from './tooltip.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  look?: 'primary' | 'secondary' | 'ghost' | 'danger';
  size?: 'normal' | 'small';
  icon?: LucideIcon;
  /** Shows that the action is running, and disables the button. */
  busy?: boolean | undefined;
}

export function Button(props: ButtonProps) {
  const { look = 'secondary', size, icon: Icon, busy, className = '', children, disabled, ...rest } = props;
  return (
    <button
      type="button"
      className={`${buttonClass(look, size)} ${className}`}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {Icon && <Icon size={16} aria-hidden />}
      {children}
    </button>
  );
}

/** The class of a link that looks like a button. */
export function buttonClass(look: NonNullable<ButtonProps['look']>, size?: 'normal' | 'small') {
  return `button button-${look}${size === 'small' ? ' button-small' : ''}`;
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  label: string;
  icon: LucideIcon;
  shortcut?: string;
  size?: 'normal' | 'small';
  withTooltip?: boolean;
}

export function IconButton(props: IconButtonProps) {
  const { label, icon: Icon, shortcut, size, withTooltip = true, className = '', ...rest } = props;
  const button = (
    <button
      type="button"
      aria-label={label}
      className={`icon-button ${size === 'small' ? 'icon-button-small' : ''} ${className}`}
      {...rest}
    >
      <Icon size={size === 'small' ? 16 : 18} aria-hidden />
    </button>
  );
  if (!withTooltip) return button;
  return (
    <Tooltip label={label} shortcut={shortcut}>
      {button}
    </Tooltip>
  );
}
