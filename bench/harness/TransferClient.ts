/** Starts and calls the transfer generator. */
import { Effect } from "effect"
import * as Program from "./Program.ts"
import * as RequestText from "./RequestText.ts"
import { BenchFailed } from "./Subject.ts"
import { TransferAnswer, type Transfers } from "./Transfers.ts"

/** Time limit of an answer: a fixed part, and a second per number of bytes. */
const graceMs = 60_000
const slowestBytesPerMs = 10_000

/** Starts a transfer generator. Its calls run one after another. */
export const start = Effect.fnUntraced(function* (name: string) {
  const program = yield* Program.start({
    name: "the program that moves bodies",
    args: ["bench/harness/TransferGenerator.ts"],
    end: "stdin"
  })

  const run = Effect.fnUntraced(function* (transfers: Transfers) {
    const bytes = transfers.requests.reduce((sum, one) => sum + one.sentBytes + (one.receivedBytes ?? 0), 0)
    yield* program.send(transfers)
    const answer = yield* Program.document(program, TransferAnswer).pipe(
      Effect.timeoutOrElse({
        duration: graceMs + bytes / slowestBytesPerMs,
        orElse: () => Effect.fail(new BenchFailed({ reason: `${name} does not answer` }))
      })
    )
    if ("error" in answer) return yield* new BenchFailed({ reason: `${name}: ${answer.error}` })
    return answer.etags
  })

  return {
    /** Returns the ETags of the answers. */
    put: (options: {
      readonly port: number
      readonly paths: readonly [string, ...Array<string>]
      /** Size of each body. */
      readonly bytes: number
      readonly atOnce: number
      readonly contentType: string
      readonly status: number
    }) => {
      const {
        bytes,
        paths: [first, ...others],
        contentType,
        ...transfers
      } = options
      const headers = { "content-type": contentType, "content-length": String(bytes) }
      const request = (path: string) => ({
        head: RequestText.put(path, headers),
        sentBytes: bytes,
        receivedBytes: null
      })
      return run({ ...transfers, requests: [request(first), ...others.map(request)] })
    },
    /** Gets a body that this program put there before. */
    get: (options: { readonly port: number; readonly path: string; readonly bytes: number }) => {
      const head = RequestText.get(options.path)
      const requests = [{ head, sentBytes: 0, receivedBytes: options.bytes }] as const
      return Effect.asVoid(run({ port: options.port, atOnce: 1, requests, status: 200 }))
    }
  }
})

export type TransferClient = Effect.Success<ReturnType<typeof start>>
