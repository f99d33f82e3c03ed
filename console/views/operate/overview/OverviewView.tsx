/** What requests do now, and what holds them up. */
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { Switch } from "#console/design/fields/Switch.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import { topics, useLive, type Overview } from "../parts/Live.ts"
import { LiveBadge } from "../parts/LiveBadge.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { HoldUps } from "./HoldUps.tsx"
import { Rates } from "./Rates.tsx"

const from = "/shell/operate/area/overview"

const plural = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`

const Fleet = ({ nodes, providers, workers }: Overview) => (
  <Section title="Who runs requests">
    <Facts
      facts={[
        {
          name: "Nodes",
          value: (
            <Link to="/operate/nodes">
              {plural(nodes.ready, "is ready", "are ready")}
              {nodes.unwell > 0 && `, ${nodes.unwell} unwell`}
              {nodes.starting > 0 && `, ${nodes.starting} starting`}
              {nodes.gone > 0 && `, ${nodes.gone} gone`}
            </Link>
          )
        },
        {
          name: "Workers",
          value: (
            <Link to="/operate/workers">
              {workers.working} working, {workers.waiting} waiting
            </Link>
          )
        },
        {
          name: "Providers",
          value: (
            <Link to="/operate/providers">
              {plural(providers.all, "provider")}
              {providers.held > 0 && `, ${providers.held} held back`}
            </Link>
          )
        }
      ]}
    />
  </Section>
)

export const OverviewView = () => {
  const connection = useLive("overview")
  const query = useQuery(topics.overview)
  const { scope } = useSearch({ from })
  const navigate = useNavigate({ from: "/operate/overview" })
  return (
    <Page
      title="Overview"
      lead="What requests do now on all nodes, and what holds them up."
      actions={
        <Row gap={2}>
          <Switch
            isSelected={scope === "node"}
            onChange={(isNode) => void navigate({ search: isNode ? { scope: "node" } : {}, replace: true })}
          >
            Only this node
          </Switch>
          <LiveBadge connection={connection} />
        </Row>
      }
    >
      <Loaded query={query}>
        {(overview) => (
          <>
            <Section
              title="What holds the queue up"
              lead={
                overview.holdUps.length === 0
                  ? undefined
                  : `${plural(overview.queued, "request")} wait${overview.queued === 1 ? "s" : ""} for a run.`
              }
            >
              <HoldUps overview={overview} />
            </Section>
            <Rates overview={overview} pulse={scope === "node" ? overview.thisNode : overview.allNodes} />
            <Fleet {...overview} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
