/** A path that no view has. */
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Page } from "#console/design/layout/Page.tsx"

export const NotFoundView = () => (
  <Page title="Not found">
    <EmptyState title="There is no such view" action={<LinkButton to="/">Go to the start</LinkButton>}>
      The address may be mistyped, or from another release.
    </EmptyState>
  </Page>
)
