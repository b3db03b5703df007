export default function NewLibraryDialog(_: { onClose: () => void }) {
  return null;
}
