import './storage-use.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Answer, StorageUse as Use } from '../api/types.ts';
import { Skeleton } from '../ui/skeleton.tsx';

/** The storage that the person uses, and their limit. */
export function StorageUse() {
  const { data, error } = useQuery({
    queryKey: queryKeys.storage(),
    queryFn: ({ signal }) =>
      api.get<Answer<Use>>('/me/storage', undefined, signal).then((answer) => answer.data),
  });
  if (error && !data) return <p className="field-hint">{errorMessage(error)}</p>;
  if (!data) return <Skeleton height="2.5rem" />;
  const { used_bytes, allowed_bytes } = data;
  return (
    <>
      {allowed_bytes !== null && (
        <progress
          className="storage-bar"
          aria-label="Storage used"
          value={Math.min(used_bytes, allowed_bytes)}
          max={Math.max(1, allowed_bytes)}
        />
      )}
      <p>
        {sizeOf(used_bytes)} used
        {allowed_bytes === null ? '' : ` of ${sizeOf(allowed_bytes)}`}
      </p>
      <p className="field-hint">
        Counts your files, and the text and images of saved items. Items in the <Link to="/trash">trash</Link>{' '}
        count until they are deleted permanently.
      </p>
    </>
  );
}

function sizeOf(bytes: number): string {
  const [value, unit] = bytes < 1024 ** 3 ? [bytes / 1024 ** 2, 'MB'] : [bytes / 1024 ** 3, 'GB'];
  return `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`;
}
