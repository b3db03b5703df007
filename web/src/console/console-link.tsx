import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Filters } from './filters.ts';

export interface ConsoleLinkProps {
  /** Below /app/console/. */
  to: string;
  search?: Filters;
  className?: string;
  title?: string;
  children: ReactNode;
}

/** A link within the console, whose pages the router knows by their list alone. */
export function ConsoleLink({ to, search = {}, children, ...rest }: ConsoleLinkProps) {
  return (
    <Link to={`/console/${to}` as string} search={search as never} {...rest}>
      {children}
    </Link>
  );
}
