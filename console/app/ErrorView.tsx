/** A view that failed to load or to draw. */
import type { ErrorComponentProps } from "@tanstack/react-router"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Page } from "#console/design/layout/Page.tsx"

export const ErrorView = ({ error, reset }: ErrorComponentProps) => (
  <Page title="Something went wrong">
    <ErrorState title="This view could not be shown" error={error} onRetry={reset} />
  </Page>
)
