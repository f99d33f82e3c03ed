/** The journal: every event of the log, and every entry of the books. */
import { getRouteApi } from "@tanstack/react-router"
import { Tabs } from "#console/design/layout/Tabs.tsx"
import { AuditPage } from "../AuditPage.tsx"
import { EntriesPart } from "./EntriesPart.tsx"
import { EventsPart } from "./EventsPart.tsx"

const route = getRouteApi("/shell/operate/audit/journal")

export const JournalView = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: typeof search) => void navigate({ search: next, replace: true })
  return (
    <AuditPage
      title="Journal"
      lead="Events are what happened. Entries are what the books make of those that move money."
    >
      {() => (
        <Tabs
          label="What the journal shows"
          chosen={search.form ?? "events"}
          onChoose={(form) => void navigate({ search: form === "events" ? {} : { form } })}
          parts={[
            {
              id: "events",
              label: "Events of the log",
              content: <EventsPart search={search} onChange={change} />
            },
            {
              id: "entries",
              label: "Entries of the books",
              content: <EntriesPart search={search} onChange={change} />
            }
          ]}
        />
      )}
    </AuditPage>
  )
}
