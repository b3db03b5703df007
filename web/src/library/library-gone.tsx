import { ApiError } from '../api/client.ts';
import { HomeLink } from '../shell/page-states.tsx';
import { ErrorState } from '../ui/states.tsx';

const GONE = new ApiError(
  404,
  'E_LIBRARY_NOT_FOUND',
  'This library does not exist, or you are no longer a member.',
);

/** Shown on the pages of a library that the person cannot see. */
export function LibraryGone() {
  return (
    <ErrorState error={GONE}>
      <HomeLink />
    </ErrorState>
  );
}
