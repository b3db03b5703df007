export default function SaveDialog(_: { onClose: () => void }) {
  return null;
}
