/** `serverLogOperations` on the running server. */
import { Effect } from "effect"
import { Fleet } from "#src/features/fleet/Fleet.ts"
import { ServerLog } from "#src/platform/telemetry/logs/ServerLog.ts"
import type { LocalOperations } from "../Operations.ts"
import * as ChosenLines from "./ChosenLines.ts"
import type { serverLogOperations } from "./ServerLogOperations.ts"

export const make = Effect.gen(function* () {
  const fleet = yield* Fleet
  const log = yield* ServerLog

  const operations: LocalOperations<typeof serverLogOperations> = {
    readServerLog: ({ after, limit, ...choice }) =>
      Effect.map(fleet.nodes, (nodes) => {
        const kept = log.after(after)
        return {
          nodeId: nodes.find(({ isSelf }) => isSelf)?.name ?? null,
          data: kept.filter(ChosenLines.chooses(choice)).slice(-limit),
          missed: after === 0 ? 0 : ChosenLines.missedAfter(after, kept),
          last: log.last()
        }
      })
  }
  return operations
})
