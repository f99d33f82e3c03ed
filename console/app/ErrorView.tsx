/** A view that failed to load or to draw. */
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Page } from "#console/design/layout/Page.tsx"

export const ErrorView = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const retry = () => {
    reset()
    // What the view needs is loaded again.
    void router.invalidate()
  }
  return (
    <Page title="Something went wrong">
      <ErrorState title="This view could not be shown" error={error} onRetry={retry} />
    </Page>
  )
}
