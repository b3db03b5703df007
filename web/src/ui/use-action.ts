import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, errorMessage } from '../api/client.ts';
import { invalidate } from '../api/queries.ts';
import { showToast } from './toasts.tsx';

interface ActionOptions<Input, Result> {
  run: (input: Input) => Promise<Result>;
  /** The query keys that it makes stale. */
  stale?: readonly QueryKey[];
  /** The message after success; none where the page shows the result. */
  message?: (result: Result, input: Input) => string;
  onDone?: (result: Result, input: Input) => unknown;
  /** Whether the page shows the error itself. */
  quiet?: boolean;
}

/** An action of a person: refetches what it changed, and shows its result or its error as a toast. */
export function useAction<Input = void, Result = unknown>(options: ActionOptions<Input, Result>) {
  const queryClient = useQueryClient();
  const refetch = () => invalidate(queryClient, ...(options.stale ?? []));
  return useMutation<Result, Error, Input>({
    mutationFn: options.run,
    onSuccess: async (result, input) => {
      await refetch();
      const message = options.message?.(result, input);
      if (message) showToast(message);
      await options.onDone?.(result, input);
    },
    onError: (error) => {
      if (!options.quiet) showToast(messageWithRequestId(error));
      return refetch();
    },
  });
}

/** Adds the request id to errors of the server, so that they can be found in the log. */
function messageWithRequestId(error: Error): string {
  const text = errorMessage(error);
  return error instanceof ApiError && error.status >= 500 ? `${text} Request ID: ${error.requestId}.` : text;
}
