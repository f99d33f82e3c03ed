/** The frame of the views for auditors. To others it says which role they need. */
import type { ReactNode } from "react"
import { type OperatorSession, missingRole } from "#console/api/Session.ts"
import { operateRoute } from "#console/app/Root.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Page } from "#console/design/layout/Page.tsx"

export const AuditPage = ({
  actions,
  children,
  lead,
  role = "auditor",
  title
}: {
  readonly title: string
  readonly lead: ReactNode
  readonly actions?: ReactNode
  readonly role?: OperatorSession["role"]
  readonly children: () => ReactNode
}) => {
  const { operator } = operateRoute.useRouteContext()
  const refusal = missingRole(operator, role)
  return (
    <Page title={title} lead={lead} actions={refusal === null ? actions : undefined}>
      {refusal === null ? (
        children()
      ) : (
        <Notice kind="warning" title="You cannot see this">
          <p>{refusal}</p>
        </Notice>
      )}
    </Page>
  )
}
