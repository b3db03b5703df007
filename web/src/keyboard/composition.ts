/** Safari sends the key that ends a composition after it, with this code. */
const OF_INPUT_METHOD = 229;

/**
 * Leaves keys to the input method while it composes a character, as for Japanese: Enter and Escape then belong to it. Nothing
 * in the app gets them.
 */
export function leaveKeysToInputMethods(): void {
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.isComposing || event.keyCode === OF_INPUT_METHOD) event.stopImmediatePropagation();
    },
    { capture: true },
  );
}
