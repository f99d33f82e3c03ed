/** Where an account begins: what to do next, its money, its last requests, and what it can run. */
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { missingScope } from "#console/api/Session.ts"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Grid } from "#console/design/layout/Stack.tsx"
import { Stat } from "#console/design/layout/Stat.tsx"
import { FirstSteps } from "./FirstSteps.tsx"
import { Highlights } from "./Highlights.tsx"
import * as Queries from "./Queries.ts"
import { RecentRequests } from "./RecentRequests.tsx"
import { useRecentRequests } from "./UseRecentRequests.ts"

const route = getRouteApi("/shell/account/")

const Balance = () => {
  const { data } = useQuery(Queries.balance)
  const available = data?.available ?? null
  const isSpent = available !== null && (available.startsWith("-") || available === "0")
  return (
    <Grid>
      <Stat
        name="Available"
        value={<Money amount={available} />}
        note={isSpent ? "Top up the account to run models that are not free." : "What new requests can spend"}
      />
      <Stat
        name="Reserved"
        value={<Money amount={data?.reserved ?? null} />}
        note="For requests that have not ended"
      />
    </Grid>
  )
}

export const HomeView = () => {
  const { account } = route.useRouteContext()
  const mayRead = missingScope(account, "requests:read") === null
  const recent = useRecentRequests(mayRead)
  // What comes first depends on it, and nothing should move while it is read.
  if (mayRead && recent.isPending) {
    return (
      <Page title="Home">
        <Skeleton lines={8} />
      </Page>
    )
  }
  const isNew = recent.data !== undefined && recent.data.data.length === 0
  return (
    <Page title="Home" actions={<LinkButton to="/models">All models</LinkButton>}>
      {isNew && <FirstSteps />}
      {missingScope(account, "billing:read") === null && <Balance />}
      {mayRead && !isNew && (
        <Section
          isPlain
          title="Recent requests"
          actions={
            <LinkButton to="/requests" size="small" kind="quiet">
              All requests
            </LinkButton>
          }
        >
          <RecentRequests recent={recent} />
        </Section>
      )}
      <Highlights />
    </Page>
  )
}
