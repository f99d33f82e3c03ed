/** How far a proof is, with the way to stop it, and a question before the view is left, which would stop it too. */
import { useBlocker } from "@tanstack/react-router"
import { Button } from "#console/design/actions/Button.tsx"
import { durationText } from "#console/design/data/Duration.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import type { Progress } from "./UseProof.ts"

const count = new Intl.NumberFormat()

const labelOf = ({ done, elapsedMs, total }: Progress): string => {
  const place =
    done === null
      ? "Starting"
      : total === null
        ? `${count.format(done)} read`
        : `${count.format(done)} of ${count.format(total)} read`
  return `${place}, ${durationText(elapsedMs)}`
}

const fractionOf = ({ done, total }: Progress): number | null =>
  done === null || total === null || total === 0 ? null : Math.min(1, done / total)

export const ProofProgress = ({
  onCancel,
  progress
}: {
  readonly progress: Progress
  readonly onCancel: () => void
}) => {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    enableBeforeUnload: true,
    withResolver: true
  })
  return (
    <Stack gap={1}>
      <ProgressBar label={labelOf(progress)} fraction={fractionOf(progress)} />
      <Row>
        <Button size="small" onPress={onCancel}>
          Stop
        </Button>
        <span>It stops when you leave this view. Nothing on the log changes.</span>
      </Row>
      <ConfirmDialog
        title="Stop the proof?"
        action="Leave and stop"
        isOpen={blocker.status === "blocked"}
        onClose={() => blocker.reset?.()}
        onConfirm={async () => blocker.proceed?.()}
      >
        <p>The proof runs for this view only. If you leave, it starts from the beginning the next time.</p>
      </ConfirmDialog>
    </Stack>
  )
}
