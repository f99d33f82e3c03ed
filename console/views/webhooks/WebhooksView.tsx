/** The account's webhooks: deliveries, the secret that signs them, and a tester. */
import { getRouteApi } from "@tanstack/react-router"
import { Page } from "#console/design/layout/Page.tsx"
import { Tabs } from "#console/design/layout/Tabs.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { Secret } from "./Secret.tsx"
import { Tester } from "./Tester.tsx"

const route = getRouteApi("/shell/account/webhooks")

export const WebhooksView = () => {
  const { part = "deliveries" } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page
      title="Webhooks"
      lead="Submit a request with a webhook URL, and its result is posted there, signed."
    >
      <Tabs
        label="Webhooks"
        chosen={part}
        onChoose={(id) => void navigate({ search: id === "deliveries" ? {} : { part: id } })}
        parts={[
          { id: "deliveries", label: "Deliveries", content: <Deliveries /> },
          { id: "secret", label: "Signing secret", content: <Secret /> },
          { id: "test", label: "Test a receiver", content: <Tester /> }
        ]}
      />
    </Page>
  )
}
