/** The check of the NATS servers of `EVENT_STORE`, by one try: version, JetStream, streams, replicas. */
import { Effect } from "effect"
import { configured } from "#src/kernel/disk/DataDirectory.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import * as NatsLog from "#src/platform/log/NatsLog.ts"
import type { NatsOptions } from "#streams/nats/NatsOptions.ts"
import type { Probed } from "#streams/nats/NatsProbe.ts"
import * as OpenLogHead from "#streams/OpenLogHead.ts"
import * as Check from "../Check.ts"

/** Loaded only when it is used, because loading takes time. */
const Probe = Effect.promise(() => import("#streams/nats/NatsProbe.ts"))

/** By the tag of the error. */
const remedies: Readonly<Record<string, string>> = {
  NatsUnreachable:
    "Start the servers with JetStream, and look at addresses, login, tls and ca in EVENT_STORE and at firewalls",
  NatsTooOld: "Upgrade nats-server on all servers",
  NatsStreamMismatch: "All nodes of a log need the same EVENT_STORE",
  NatsStreamUnavailable: "Let this login use JetStream's API, and look at the log of the servers",
  LogHeadDamaged: "Restore log.head from a copy, or continue: inferlog log accept-head"
}

const verdictOf = (
  { isSynced, replicas, servers }: NatsOptions,
  { lagging, lastSequence, version }: Probed,
  known: number
): Check.Verdict => {
  if (known > (lastSequence ?? 0)) {
    return Check.failed(
      `The log at the servers ends at message ${lastSequence ?? 0}, but this node has seen ${known}`,
      "Is EVENT_STORE that of the log that this node had? Else restore the servers' log before a node starts"
    )
  }
  const log = lastSequence === null ? "the first node makes the log" : `the log has ${lastSequence} messages`
  const detail = `nats-server ${version} with JetStream at ${servers.join(", ")}; ${log}`
  if (lagging.length > 0) {
    return Check.warning(
      `${detail}; servers are away or behind: ${lagging.join(", ")}`,
      "Start them, and wait until they have caught up"
    )
  }
  if (replicas > 1 || isSynced) return Check.ok(detail)
  return Check.warning(
    `${detail}; with one replica, a power cut may lose what was acknowledged`,
    "Use replicas=3, or set sync_interval: always in nats-server.conf and sync=always in EVENT_STORE"
  )
}

export const check: Check.Check = {
  name: "nats",
  look: Effect.gen(function* () {
    const store = yield* eventStore.config
    if (store._tag !== "Nats") return Check.skipped("The log is not on NATS")
    const found = yield* (yield* Probe).look(store.options)
    const head = yield* OpenLogHead.read(yield* NatsLog.headFile(yield* configured))
    return verdictOf(store.options, found, head?.sequence ?? 0)
  }).pipe(
    Effect.catchIf(
      (error) => error._tag in remedies,
      (error) => Effect.succeed(Check.failed(error.message, remedies[error._tag] ?? ""))
    )
  )
}
