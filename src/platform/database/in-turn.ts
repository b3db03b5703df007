/**
 * Makes calls wait for the end of the calls before them. Behind a transaction pooler, the driver sends a statement only when
 * the one before it is done.
 */
export function inTurn<Input, Output>(
  call: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  let last: Promise<unknown> = Promise.resolve();
  return (input) => {
    const result = last.then(() => call(input));
    last = result.catch(() => undefined);
    return result;
  };
}
