import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, sentenceOf } from '../api/error.ts';
import { showToast } from '../ui/toasts.ts';

export interface DeedOptions<Input, Result> {
  run: (input: Input) => Promise<Result>;
  /** What it makes old, as beginnings of query keys. */
  stale: readonly QueryKey[];
  /** What to say when it is done; nothing where the page shows it anyway. */
  said?: (result: Result, input: Input) => string;
  onDone?: (result: Result, input: Input) => void;
  /** Where the page shows the error itself. */
  quiet?: boolean;
}

/** Something that an operator does: it says how it went, and what is on the screen becomes true again. */
export function useDeed<Input = void, Result = unknown>(options: DeedOptions<Input, Result>) {
  const queryClient = useQueryClient();
  return useMutation<Result, Error, Input>({
    mutationFn: options.run,
    onSuccess: async (result, input) => {
      const said = options.said?.(result, input);
      if (said) showToast(said);
      options.onDone?.(result, input);
      await Promise.all(options.stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
    onError: (error) => {
      if (!options.quiet) showToast(whatWentWrong(error));
    },
  });
}

/** What is Nexus's own fault is to be found in its log. */
function whatWentWrong(error: Error): string {
  const sentence = sentenceOf(error);
  return error instanceof ApiError && error.status >= 500
    ? `${sentence} Request ${error.requestId}.`
    : sentence;
}
