/** T1: submit: authenticated, validated, priced, chained and durable. T1b: the same, and each run starts and is held. */
import * as path from "node:path"
import { Effect } from "effect"
import * as HttpSubject from "../harness/HttpSubject.ts"
import * as PeerProcess from "../harness/PeerProcess.ts"
import * as RequestText from "../harness/RequestText.ts"
import type { Row } from "../harness/Subject.ts"
import * as Inferlog from "../subjects/Inferlog.ts"
import * as Straight from "../subjects/Straight.ts"

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

/** The server from its sources, with the request's model, which has no room for a run. */
export const command = ["bench/subjects/InferlogServer.ts"]

const load = () => Effect.succeed({ requests: [request], status: 200 })

/** With the request's model, whose requests wait for workers. */
export const settings = { MODELS_DIR: path.resolve(import.meta.dirname, "../subjects/models") }

const row = (connections: number, p99Targets: Readonly<Record<string, number>>): Row => ({
  id: "T1",
  title: `Submit, ${connections} connections`,
  unit: "requests",
  subjects: [
    HttpSubject.make({
      name: "inferlog",
      role: "ours",
      serve: Inferlog.serve(undefined, settings),
      load,
      connections
    }),
    HttpSubject.make({
      name: Straight.name,
      role: "floor",
      serve: Straight.serve("none"),
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
  targets: { [Straight.name]: 0.75, BullMQ: 1.7, "BullMQ behind fastify": 1, "pg-boss": 10, Restate: 6 },
  p99Targets,
  limits: { peakMiB: Inferlog.maxLoadedMiB }
})

/** Runs for ten minutes. */
const heldBody = JSON.stringify({ value: "x".repeat(264), delayMs: 600_000 })

const heldLoad = () =>
  Effect.succeed({
    requests: [RequestText.postJson("/sandbox/echo", heldBody, Inferlog.authorization)],
    status: 200
  })

const held: Row = {
  id: "T1b",
  title: "Submit, each run starts and is held",
  unit: "requests",
  subjects: [
    HttpSubject.make({
      name: "inferlog",
      role: "ours",
      serve: Inferlog.serve(),
      load: heldLoad,
      connections: 32
    }),
    HttpSubject.make({
      name: Straight.name,
      role: "floor",
      serve: Straight.serve("claimed"),
      load: heldLoad,
      connections: 32
    })
  ],
  targets: { [Straight.name]: 0.6 },
  limits: { peakMiB: Inferlog.maxLoadedMiB }
}

export const rows: ReadonlyArray<Row> = [row(128, {}), row(32, { [Straight.name]: 1.5 }), held]
