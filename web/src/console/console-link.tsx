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

/** A link to a page of the console. These pages are not in the router's types. */
export function ConsoleLink({ to, search = {}, children, ...rest }: ConsoleLinkProps) {
  return (
    <Link to={`/console/${to}` as string} search={search as never} {...rest}>
      {children}
    </Link>
  );
}
