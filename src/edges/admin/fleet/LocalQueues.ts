/** `queueOperations` on the running server. */
import { Clock, Effect } from "effect"
import { Fleet } from "#src/features/fleet/Fleet.ts"
import type { NodeState } from "#src/features/fleet/FleetViews.ts"
import * as HoldUps from "#src/features/fleet/queues/HoldUps.ts"
import { Queues } from "#src/features/fleet/queues/Queues.ts"
import * as Minutes from "#src/features/fleet/pulse/Minutes.ts"
import * as Pulse from "#src/features/fleet/pulse/Pulse.ts"
import * as RequestTally from "#src/features/requests/metrics/RequestTally.ts"
import { NodeReports } from "#src/platform/cluster/NodeReports.ts"
import type { LocalOperations } from "../Operations.ts"
import { mostListed } from "../Wire.ts"
import type { queueOperations } from "./QueueOperations.ts"
import * as QueueViews from "./QueueViews.ts"

const recentOf = (pulses: ReadonlyArray<Pulse.NodePulse>): RequestTally.Counts =>
  pulses.map(({ recent }) => recent).reduce(RequestTally.add, RequestTally.none)

const pulseOf = (pulses: ReadonlyArray<Pulse.NodePulse>, now: number) =>
  QueueViews.pulse(
    recentOf(pulses),
    Minutes.together(
      pulses.map(({ minutes }) => minutes),
      now
    )
  )

export const make = Effect.gen(function* () {
  const fleet = yield* Fleet
  const queues = yield* Queues
  const reports = yield* NodeReports

  const showOverview = Effect.fnUntraced(function* () {
    const now = yield* Clock.currentTimeMillis
    const heard = reports.heard()
    const found = yield* queues.list(false)
    const nodes = yield* fleet.nodes
    const count = (state: typeof NodeState.Type) => nodes.filter((node) => node.state === state).length
    const { workers } = yield* fleet.workers
    const providers = yield* fleet.providers
    const pulses = heard.flatMap((node) => {
      const pulse = node.isLive ? Pulse.of(node) : null
      return pulse === null ? [] : [{ isSelf: node.isSelf, pulse }]
    })
    return {
      queued: found.reduce((sum, { queued }) => sum + queued, 0),
      running: found.reduce((sum, { running }) => sum + running, 0),
      nodes: {
        ready: count("ready"),
        unwell: count("unwell"),
        starting: count("starting") + count("unknown"),
        gone: count("gone")
      },
      workers: {
        waiting: workers.filter(({ state }) => state === "waiting").length,
        working: workers.filter(({ state }) => state === "working").length
      },
      providers: {
        all: providers.length,
        held: providers.filter(({ nodes }) =>
          nodes.some(
            ({ report }) =>
              report.circuit !== "Closed" ||
              report.pausedUntil !== null ||
              report.unreachable !== null ||
              !report.hasCredential
          )
        ).length
      },
      holdUps: HoldUps.of(found).map(QueueViews.holdUp),
      allNodes: pulseOf(
        pulses.map(({ pulse }) => pulse),
        now
      ),
      thisNode: {
        nodeId: nodes.find(({ isSelf }) => isSelf)?.name ?? null,
        ...pulseOf(
          pulses.filter(({ isSelf }) => isSelf).map(({ pulse }) => pulse),
          now
        )
      }
    }
  })

  const operations: LocalOperations<typeof queueOperations> = {
    showOverview,
    listQueues: ({ all }) =>
      Effect.map(queues.list(all), (found) => ({
        data: found.slice(0, mostListed).map(QueueViews.listedQueue),
        omitted: Math.max(found.length - mostListed, 0)
      }))
  }
  return operations
})
