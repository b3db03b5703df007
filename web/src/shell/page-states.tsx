import { Link, useRouter } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState, ErrorState, Skeleton, SkeletonText } from '../ui/states.tsx';

export function HomeLink() {
  return (
    <Link to="/" className={buttonClass('primary')}>
      Go to my library
    </Link>
  );
}

export function NotFound() {
  return (
    <EmptyState icon={Compass} title="Page not found" actions={<HomeLink />}>
      Check the address for a typo.
    </EmptyState>
  );
}

export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  return (
    <ErrorState
      error={error}
      onRetry={() => {
        reset();
        void router.invalidate();
      }}
    >
      <HomeLink />
    </ErrorState>
  );
}

export function PagePending() {
  return (
    <div className="page">
      <Skeleton width="14rem" height="2rem" />
      <div className="section">
        <SkeletonText lines={8} />
      </div>
    </div>
  );
}
