/** One account: its money, limits, password and keys, and its erasing. */
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { adminQuery } from "#console/api/Queries.ts"
import { Id } from "#console/design/data/Id.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { EraseAccount } from "./EraseAccount.tsx"
import { Keys } from "./Keys.tsx"
import { Limits } from "./Limits.tsx"
import { Password } from "./Password.tsx"
import { TopUp } from "./TopUp.tsx"

export const AccountView = () => {
  const { accountId } = useParams({ from: "/shell/operate/area/accounts/$accountId" })
  const query = useQuery(adminQuery("showBalance", { accountId }))
  return (
    <Page
      title={`Account ${accountId}`}
      titleView={<>Account</>}
      lead={<Id id={accountId} what="account id" />}
    >
      <Loaded query={query}>
        {({ available, balance, isCurrent, reserved, updatedAt }) => (
          <>
            <Section
              title="Money"
              actions={
                <Link to="/operate/requests" search={{ account: accountId }}>
                  Its requests
                </Link>
              }
            >
              {!isCurrent && (
                <Notice kind="warning">The ledger lags, so the newest changes are missing.</Notice>
              )}
              <Facts
                facts={[
                  { name: "Available", value: <Money amount={available} /> },
                  { name: "Balance", value: <Money amount={balance} /> },
                  { name: "Held for open requests", value: <Money amount={reserved} /> },
                  { name: "Last change", value: updatedAt === null ? "–" : <Time at={updatedAt} /> }
                ]}
              />
              <TopUp accountId={accountId} />
            </Section>
            <Limits accountId={accountId} />
            <Keys accountId={accountId} />
            <Password accountId={accountId} />
            <EraseAccount accountId={accountId} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
