/** Models: not built yet. */
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Page } from "#console/design/layout/Page.tsx"

export const ModelsView = () => (
  <Page title="Models">
    <EmptyState title="Not built yet" />
  </Page>
)
