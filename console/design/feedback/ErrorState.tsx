/** A view or a part of it that could not be loaded. */
import { Button } from "../actions/Button.tsx"
import { Notice } from "./Notice.tsx"

export const ErrorState = ({
  error,
  onRetry,
  title = "This could not be loaded"
}: {
  readonly error: unknown
  readonly title?: string
  readonly onRetry?: () => void
}) => (
  <Notice
    kind="alarm"
    title={title}
    error={error}
    action={onRetry === undefined ? undefined : <Button onPress={onRetry}>Try again</Button>}
  />
)
