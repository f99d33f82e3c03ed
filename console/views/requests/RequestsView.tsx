/** Requests: not built yet. */
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Page } from "#console/design/layout/Page.tsx"

export const RequestsView = () => (
  <Page title="Requests">
    <EmptyState title="Not built yet" />
  </Page>
)
