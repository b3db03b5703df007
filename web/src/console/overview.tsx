import { Activity } from 'lucide-react';
import { EmptyState } from '../ui/empty-state.tsx';

export default function Overview() {
  return (
    <div className="page page-wide">
      <EmptyState icon={Activity} title="The console">
        Queues, workers, the outbox and the audit log are shown here.
      </EmptyState>
    </div>
  );
}
