/** T2: end to end, with a model that does nothing: five durable events and two payloads for each request, as for the floor. */
import { Effect } from "effect"
import * as CompletionSubject from "../harness/CompletionSubject.ts"
import * as PeerProcess from "../harness/PeerProcess.ts"
import * as RequestText from "../harness/RequestText.ts"
import type { Row } from "../harness/Subject.ts"
import * as Inferlog from "../subjects/Inferlog.ts"
import * as Straight from "../subjects/Straight.ts"

const connections = 64

/** 300 bytes. */
const body = JSON.stringify({ value: "x".repeat(288) })

const request = RequestText.postJson("/sandbox/echo", body, Inferlog.authorization)

const peer = (name: string, program: string) =>
  PeerProcess.subject({ name, program, mode: "end-to-end", connections })

export const row: Row = {
  id: "T2",
  title: `End to end, ${connections} in flight`,
  unit: "requests",
  subjects: [
    CompletionSubject.make({
      name: "inferlog",
      role: "ours",
      serve: Effect.map(Inferlog.serve(), (server) => ({
        ...server,
        log: `${server.dataDirectory}/log.sqlite`
      })),
      request,
      connections
    }),
    CompletionSubject.make({
      name: Straight.name,
      role: "floor",
      serve: Straight.serve("complete"),
      request,
      connections
    }),
    peer("BullMQ", "bullmq"),
    peer("pg-boss", "pg-boss"),
    peer("Restate", "restate")
  ],
  targets: { [Straight.name]: 0.65, BullMQ: 2.5, "pg-boss": 6, Restate: 8 },
  cpuTargets: { [Straight.name]: 2 },
  limits: { peakMiB: Inferlog.maxLoadedMiB }
}
