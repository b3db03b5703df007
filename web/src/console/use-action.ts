import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, errorMessage } from '../api/error.ts';
import { showToast } from '../ui/toasts.ts';

export interface ActionOptions<Input, Result> {
  run: (input: Input) => Promise<Result>;
  /** The query keys that it makes stale. */
  stale: readonly QueryKey[];
  /** The message after success; none where the page shows the result. */
  message?: (result: Result, input: Input) => string;
  onDone?: (result: Result, input: Input) => void;
  /** Whether the page shows the error itself. */
  quiet?: boolean;
}

/** An action of an operator: shows its result as a toast, and refetches what it changed. */
export function useAction<Input = void, Result = unknown>(options: ActionOptions<Input, Result>) {
  const queryClient = useQueryClient();
  return useMutation<Result, Error, Input>({
    mutationFn: options.run,
    onSuccess: async (result, input) => {
      const message = options.message?.(result, input);
      if (message) showToast(message);
      options.onDone?.(result, input);
      await Promise.all(options.stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
    onError: (error) => {
      if (!options.quiet) showToast(messageWithRequestId(error));
    },
  });
}

/** Adds the request id to errors of the server, so that they can be found in the log. */
function messageWithRequestId(error: Error): string {
  const text = errorMessage(error);
  return error instanceof ApiError && error.status >= 500 ? `${text} Request ID: ${error.requestId}.` : text;
}
