/** T2: end to end. At least three durable events per request: submitted, started, completed by a model that does nothing. */
import { Effect } from "effect"
import * as Floor from "../floors/Floor.ts"
import * as CompletionSubject from "../harness/CompletionSubject.ts"
import * as PeerProcess from "../harness/PeerProcess.ts"
import * as RequestText from "../harness/RequestText.ts"
import * as ScratchDirectory from "../harness/ScratchDirectory.ts"
import type { Row } from "../harness/Subject.ts"
import * as Inferlog from "../subjects/Inferlog.ts"

const connections = 64

/** 300 bytes. */
const body = JSON.stringify({ value: "x".repeat(288) })

const request = RequestText.postJson("/sandbox/echo", body, Inferlog.authorization)

const floor = "node:http + SQLite"

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
      name: floor,
      role: "floor",
      serve: Effect.gen(function* () {
        const log = `${yield* ScratchDirectory.make}/log.sqlite`
        return { ...(yield* Floor.serve(floor, ["bench/floors/SubmitFloor.ts", log, "--run"])), log }
      }),
      request,
      connections
    }),
    peer("BullMQ", "bullmq"),
    peer("pg-boss", "pg-boss"),
    peer("Restate", "restate")
  ],
  targets: { [floor]: 0.7, BullMQ: 1.9, "pg-boss": 6, Restate: 8 }
}
