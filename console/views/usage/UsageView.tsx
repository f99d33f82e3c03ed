/** What an account has, what it was charged for, and every entry of its ledger. */
import { Stack } from "#console/design/layout/Stack.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Balance } from "./Balance.tsx"
import { BillingEvents } from "./BillingEvents.tsx"
import { Budgets } from "./Budgets.tsx"
import { Charges } from "./Charges.tsx"

export const UsageView = () => (
  <Page title="Usage" lead="Requests count when they are charged. Days and months begin at midnight UTC.">
    <Stack gap={3}>
      <Balance />
      <Charges />
      <Budgets />
      <BillingEvents />
    </Stack>
  </Page>
)
