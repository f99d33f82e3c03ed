/** T4: `GET /requests/{id}` of completed requests, with both payloads. */
import { Effect, Schema } from "effect"
import * as HttpSubject from "../harness/HttpSubject.ts"
import * as PeerProcess from "../harness/PeerProcess.ts"
import * as Program from "../harness/Program.ts"
import * as RequestText from "../harness/RequestText.ts"
import type { Row } from "../harness/Subject.ts"
import * as Inferlog from "../subjects/Inferlog.ts"
import * as Straight from "../subjects/Straight.ts"
import * as ReadRow from "./ReadRow.ts"

const read: ReadRow.Read = {
  request: ({ id }) => RequestText.get(`/requests/${id}`, Inferlog.authorization),
  status: 200
}

const Ready = Schema.Struct({ port: Schema.Int, ids: Schema.Array(Schema.String) })

/** The peer creates its own requests and checks the same key. */
const fastify = HttpSubject.make({
  name: "fastify",
  role: "peer",
  serve: Effect.gen(function* () {
    yield* PeerProcess.checkInstalled("fastify")
    const program = yield* Program.start({
      name: "fastify",
      args: ["bench/peers/fastify.ts", "--key", Inferlog.apiKey],
      end: "stdin"
    })
    return { ...(yield* Program.document(program, Ready)), pids: [program.pid] }
  }),
  load: ({ ids }) =>
    Effect.succeed({ requests: ids.map((id) => read.request({ id, etag: "" })), status: 200 }),
  connections: ReadRow.connections
})

export const row: Row = {
  id: "T4",
  title: "Retrieve a request",
  unit: "requests",
  subjects: [ReadRow.ours(read), ReadRow.straight(read), fastify],
  targets: { [Straight.name]: 0.6, fastify: 0.6 }
}
