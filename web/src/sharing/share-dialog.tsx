export default function ShareDialog(_: { library: unknown; onClose: () => void }) {
  return null;
}
