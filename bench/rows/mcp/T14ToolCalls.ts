/** T14: the cost of a tool beyond the protocol: a reading tool compared with a no-op tool on the same server. */
import { Effect } from "effect"
import * as HttpSubject from "../../harness/HttpSubject.ts"
import * as RequestText from "../../harness/RequestText.ts"
import type { BenchFailed, Row, Subject } from "../../harness/Subject.ts"
import * as CompletedRequests from "../../subjects/CompletedRequests.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as Assistant from "../../subjects/mcp/Assistant.ts"

const connections = 32
const nothing = "no-op tool"

interface Call {
  readonly tool: string
  /** Arguments of the calls, used in turn. */
  readonly args: (server: Inferlog.Inferlog) => Effect.Effect<ReadonlyArray<object>, BenchFailed>
}

const subjectOf = (name: string, role: Subject["role"], { args, tool }: Call): Subject =>
  HttpSubject.make({
    name,
    role,
    serve: Inferlog.serve(["bench/subjects/mcp/ToolServer.ts"]),
    load: Effect.fnUntraced(function* (server) {
      const { headers } = yield* Assistant.make(server)
      const bodies = (yield* args(server)).map((one) => Assistant.callOf(tool, one))
      return { requests: bodies.map((body) => RequestText.postJson("/mcp", body, headers)), status: 200 }
    }),
    connections
  })

const noOp: Call = { tool: "no_op", args: () => Effect.succeed([{}]) }

const getModel: Call = {
  tool: "get_model",
  args: () => Effect.succeed([{ modelEndpoint: "sandbox/echo" }, { modelEndpoint: "vision/resize" }])
}

const getRequest: Call = {
  tool: "get_request",
  args: (server) =>
    Effect.map(CompletedRequests.all(server, 200, "hello"), (known) =>
      known.map(({ id }) => ({ requestId: id }))
    )
}

const rowOf = (call: Call): Row => ({
  id: "T14",
  title: `MCP tool call, ${call.tool}`,
  unit: "calls",
  subjects: [subjectOf("inferlog", "ours", call), subjectOf(nothing, "floor", noOp)],
  targets: { [nothing]: 0.7 }
})

export const rows: ReadonlyArray<Row> = [rowOf(getModel), rowOf(getRequest)]
