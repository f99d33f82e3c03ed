/** The workers that call the nodes, in the output of `workers list`. */
import { Clock, Console, Effect } from "effect"
import type { ListedWorkerKey } from "#projections/keys/KeyViews.ts"
import * as Output from "#src/cli/Output.ts"
import type { ConnectedWorker } from "#src/edges/admin/fleet/FleetViews.ts"

export const forPrograms = ({ keyId: _keyId, ...worker }: ConnectedWorker) => ({
  ...worker,
  lastPollAt: Output.time(worker.lastPollAt),
  lastCallAt: Output.time(worker.lastCallAt)
})

const header = ["WORKER", "KEY", "STATE", "JOBS", "POLLS", "LAST POLL", "VERSION", "NODE", "ASKS FOR"]

const forPeople = (names: ReadonlyMap<string, string>, now: number) => (worker: ConnectedWorker) => [
  worker.workerId ?? "-",
  names.get(worker.keyId) ?? worker.keyId,
  worker.state,
  String(worker.jobs),
  String(worker.waiting),
  `${Output.duration(Math.max(now - worker.lastPollAt, 0))} ago`,
  worker.version ?? "-",
  worker.nodeId,
  worker.models?.join(",") ?? "all"
]

/** After the keys. Nothing without workers. */
export const print = Effect.fnUntraced(function* (
  { data: workers, omitted }: { readonly data: ReadonlyArray<ConnectedWorker>; readonly omitted: number },
  keys: ReadonlyArray<ListedWorkerKey>
) {
  if (workers.length === 0) return
  const names = new Map<string, string>(keys.map(({ keyId, name }) => [keyId, name]))
  const now = yield* Clock.currentTimeMillis
  yield* Console.log(`\n${Output.table(header, workers.map(forPeople(names, now)))}`)
  if (omitted > 0)
    yield* Console.error(`${Output.counted(omitted, "worker")} more did not fit into the nodes' reports.`)
})
