/** T1: submit: authenticated, validated, priced, chained and durable. The floor only stores a durable row. */
import { Effect } from "effect"
import * as Floor from "../floors/Floor.ts"
import * as HttpSubject from "../harness/HttpSubject.ts"
import * as PeerProcess from "../harness/PeerProcess.ts"
import * as RequestText from "../harness/RequestText.ts"
import * as ScratchDirectory from "../harness/ScratchDirectory.ts"
import type { Row } from "../harness/Subject.ts"
import * as Inferlog from "../subjects/Inferlog.ts"

/** 300 bytes. */
export const body = JSON.stringify({
  prompt: "A lighthouse at dusk, seen from the water, in the style of an old postcard. "
    .repeat(4)
    .slice(0, 243),
  steps: 20,
  seed: 4_294_967,
  size: "landscape"
})

export const request = RequestText.postJson("/bench/queued", body, Inferlog.authorization)

/** The server with the request's model, which has no room for a run. */
export const command = ["bench/subjects/InferlogServer.ts"]

const load = () => Effect.succeed({ requests: [request], status: 200 })

const floor = "node:http + SQLite"

const row = (connections: number, p99Targets: Readonly<Record<string, number>>): Row => ({
  id: "T1",
  title: `Submit, ${connections} connections`,
  unit: "requests",
  subjects: [
    HttpSubject.make({
      name: "inferlog",
      role: "ours",
      serve: Inferlog.serve(command),
      load,
      connections
    }),
    HttpSubject.make({
      name: floor,
      role: "floor",
      serve: Effect.flatMap(ScratchDirectory.make, (directory) =>
        Floor.serve(floor, ["bench/floors/SubmitFloor.ts", `${directory}/log.sqlite`])
      ),
      load,
      connections
    }),
    HttpSubject.make({
      name: "BullMQ behind fastify",
      role: "peer",
      serve: PeerProcess.serve("BullMQ behind fastify", "bullmq-http"),
      load,
      connections
    }),
    PeerProcess.subject({ name: "BullMQ", program: "bullmq", mode: "submit", connections }),
    PeerProcess.subject({ name: "pg-boss", program: "pg-boss", mode: "submit", connections }),
    PeerProcess.subject({ name: "Restate", program: "restate", mode: "submit", connections })
  ],
  targets: { [floor]: 0.8, BullMQ: 1.7, "BullMQ behind fastify": 1.7, "pg-boss": 10, Restate: 6 },
  p99Targets
})

export const rows: ReadonlyArray<Row> = [row(128, {}), row(32, { [floor]: 1.5 })]
